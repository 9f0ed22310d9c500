"""The CPU backend: numba kernels without the GIL, driven by a thread pool."""
