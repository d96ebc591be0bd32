"""Use vclean inside the frameworks in which pages are collected and read.

Each module needs the extra of its name; see the guides of `docs/`. Importing this package imports none of them.
"""
