"""What all families of operations build on: kernels, memory, threads: the CPU side."""
