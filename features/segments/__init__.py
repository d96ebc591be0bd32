"""Segment a page into nested regions, and read and write segmentations."""
