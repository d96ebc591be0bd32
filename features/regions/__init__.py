"""Find the containers of a page that may be regions, and compute their features."""
