"""Analyze the text of blocks: characters, words, terms, language."""
