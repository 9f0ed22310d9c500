"""Graphs in CSR and the ways to make them."""
