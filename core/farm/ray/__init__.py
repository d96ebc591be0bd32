"""Run the farm on a Ray cluster."""
