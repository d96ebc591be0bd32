"""Input of pages: files, folders, archives, tables, URLs, standard input."""
