"""Features of a whole page from which its type is predicted: article, product, listing, forum and others."""
