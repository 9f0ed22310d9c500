"""Columns of numbers from files and into files."""
