"""Graphs and walks from files and into files."""
