"""The CPU backend: numba kernels without the GIL, driven by a thread pool."""

from debruijn_gpu.backends.cpu import pool
from debruijn_gpu.backends.cpu.cleaning import pop_bubbles, remove_chimeras, remove_isolated, remove_tips
from debruijn_gpu.backends.cpu.counting import count_buckets
from debruijn_gpu.backends.cpu.lists import follow_lists
from debruijn_gpu.backends.cpu.overlaps import kmer_graph
from debruijn_gpu.backends.cpu.parsing import parse_reads
from debruijn_gpu.backends.cpu.sequences import smallest_rotation
from debruijn_gpu.backends.cpu.sorting import sort_kmers
from debruijn_gpu.backends.cpu.superkmers import super_kmers
from debruijn_gpu.backends.cpu.walks import (
    contract,
    expand,
    larger_strands,
    spell,
    take_lists,
    take_sequences,
    unique_successors,
)

__all__ = [
    "contract",
    "count_buckets",
    "expand",
    "follow_lists",
    "kmer_graph",
    "larger_strands",
    "parse_reads",
    "pool",
    "pop_bubbles",
    "remove_chimeras",
    "remove_isolated",
    "remove_tips",
    "smallest_rotation",
    "sort_kmers",
    "spell",
    "super_kmers",
    "take_lists",
    "take_sequences",
    "unique_successors",
]
