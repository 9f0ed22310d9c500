"""Coloured de Bruijn graphs: colour sets of k-mers, and what is asked of them."""
