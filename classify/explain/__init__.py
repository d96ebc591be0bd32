"""Explain the label of a block: reasons, feature groups, phrases."""
