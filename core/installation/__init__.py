"""Install and check what vclean needs on a machine: Chromium, libraries, fonts."""
