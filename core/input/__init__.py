"""Read pages from command-line arguments: files, folders, archives, tables, URLs, standard input."""
