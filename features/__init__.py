"""`Snapshot -> BlockColumns -> feature matrix`."""
