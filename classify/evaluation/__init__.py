"""Score methods and segmenters against gold."""
