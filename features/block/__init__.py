"""Compute the features of a block by group: linguistic, structural, visual, neighbourhood."""
