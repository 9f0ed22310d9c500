"""Peptides, their spectra, and back."""
