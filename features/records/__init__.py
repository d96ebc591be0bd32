"""Repeated records of a page: posts of threads, items of listings."""
