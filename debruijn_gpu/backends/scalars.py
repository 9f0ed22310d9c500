"""Scalar functions of both backends, in plain Python; each backend compiles them with its own decorator.

A k-mer is a tuple of uint64 words as in `KmerTable`: right-aligned, word 0 most significant.
"""
