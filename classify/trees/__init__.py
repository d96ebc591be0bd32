"""Evaluate boosted trees, and explain their output with SHAP values."""
