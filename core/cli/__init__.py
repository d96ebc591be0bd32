"""Run the command line: one module per command."""
