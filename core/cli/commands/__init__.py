"""Define the commands: a module for each, with its options and its body."""
