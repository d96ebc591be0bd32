"""Predict the roles of regions."""
