"""What a page is about, if it is one product or one recipe: what its markup declares, and where readers see it."""
