"""Share pages, corpora and servers among tests."""
