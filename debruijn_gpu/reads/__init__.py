"""Reads: the container and its sources."""
