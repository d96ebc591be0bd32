"""Draw boxes over the screenshot of a page: PNG, SVG, HTML."""
