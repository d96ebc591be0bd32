"""Segment a snapshot into blocks, and compute their features: `Snapshot -> BlockColumns -> feature matrix`."""
