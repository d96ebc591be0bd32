"""The farm: pages in bulk, from what archives and crawls hold, to Parquet; every page once, a result or a failure."""
