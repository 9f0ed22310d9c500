"""Reads: the container and what makes it."""
