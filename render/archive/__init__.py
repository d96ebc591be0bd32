"""Read web archives (WARC, WACZ, MHTML) and the folders of saved pages."""
