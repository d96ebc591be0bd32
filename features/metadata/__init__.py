"""Find candidates for the metadata of a page, in its markup and in its text, and compute their features."""
