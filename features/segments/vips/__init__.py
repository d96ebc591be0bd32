"""Segment a page with VIPS (Cai et al. 2003, MSR-TR-2003-79)."""
