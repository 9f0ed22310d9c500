"""Euler circuits, trails and tours, and the number of circuits."""
