"""Load pages and subresources over the network, from public addresses only."""
