"""`Page -> Snapshot`: in headless Chromium, or without a browser through lxml."""
