"""Draw boxes over the screenshot of a page as PNG, SVG or HTML."""
