"""Read corpora with gold text and hand-marked pages."""
