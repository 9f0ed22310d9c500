"""Common basis of all families: kernels, memory, threads: the CUDA side."""
