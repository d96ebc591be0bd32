"""Statistical models that several methods share."""
