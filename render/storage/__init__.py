"""Store snapshots on disk and read them back."""
