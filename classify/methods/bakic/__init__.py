"""Hybrid content extractors of Bakic (2012)."""
