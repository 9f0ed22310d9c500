"""Contigs: spelled walks, their statistics."""
