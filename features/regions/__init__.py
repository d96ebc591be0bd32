"""Find the elements of a page that may be regions, and compute their features."""
