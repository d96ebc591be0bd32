"""`Snapshot -> Blocks -> feature matrix`."""
