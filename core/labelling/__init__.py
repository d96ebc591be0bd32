"""Labelling by click: pages served as overlays, every change kept, gold and agreement made of them."""
