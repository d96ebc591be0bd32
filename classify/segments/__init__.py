"""Segment pages with a trained model."""
