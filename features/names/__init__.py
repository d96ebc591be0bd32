"""Read the names of elements: tags, classes, ids, ARIA roles."""
