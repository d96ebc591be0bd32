"""Render pages in headless Chromium."""
