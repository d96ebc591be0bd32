"""Parse a page into a snapshot without a browser."""
