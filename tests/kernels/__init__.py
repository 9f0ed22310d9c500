"""The manifest of kernels: made and checked by running commands."""
