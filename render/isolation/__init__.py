"""Isolate the browser from the machine, and remove its remaining processes and files."""
