"""Checks of the source code, for ``make lint``."""
