"""Compute what depends on the text of blocks alone: characters, words, terms, language."""
