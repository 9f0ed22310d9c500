"""Euler circuits, trails, tours, and how many circuits there are."""
