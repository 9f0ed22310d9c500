"""Genome assembly, Euler circuits and de Bruijn sequences on GPUs and CPUs."""

__version__ = "0.1.0"
