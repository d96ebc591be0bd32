"""Choose the metadata of a page among the candidates of its markup and its text."""
