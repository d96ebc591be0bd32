"""The hybrid content extractors of Bakic (2012)."""
