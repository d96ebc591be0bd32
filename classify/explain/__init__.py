"""Explain the label of a block: reasons, groups of features, phrases."""
