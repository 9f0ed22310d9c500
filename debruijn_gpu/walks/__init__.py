"""Walks through a graph: unitigs and Euler circuits."""
