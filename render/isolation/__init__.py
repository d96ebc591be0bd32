"""Isolate the browser from the machine, and remove what it leaves behind."""
