"""Visibility of the texts of a rendered page: by layout, styles and pixels."""
