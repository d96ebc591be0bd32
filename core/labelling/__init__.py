"""Label pages by click: serve pages as overlays, store every change, write gold and measure agreement."""
