"""Decide of every text whether a reader sees it, can open it, or never sees it."""
