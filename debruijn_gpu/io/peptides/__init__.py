"""Peptides and mass spectra from files and into files."""
