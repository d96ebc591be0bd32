"""Classify blocks: content probability, threshold, labels."""
