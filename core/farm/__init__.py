"""Clean pages in bulk, from archives and crawls, to Parquet. Each page gives one row: a result or a failure."""
