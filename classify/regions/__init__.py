"""Classify regions by role."""
