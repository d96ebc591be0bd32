"""Provide statistical models that several methods share."""
