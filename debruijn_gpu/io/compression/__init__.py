"""Compressed files in and out."""
