"""Common basis of all families: kernels, memory, threads."""
