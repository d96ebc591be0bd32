"""The farm: pages in bulk, from what archives and crawls hold, to Parquet; every page once, as a result or a failure."""
