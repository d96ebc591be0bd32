"""Find the facts of a page: metadata, type, posts, items, and the product or recipe that it is about."""
