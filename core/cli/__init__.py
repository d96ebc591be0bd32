"""Command line of vclean, with one module per command in `commands`."""
