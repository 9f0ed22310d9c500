"""The CPU backend: numba kernels without the GIL, driven by a thread pool."""

from debruijn_gpu.backends.cpu import pool
from debruijn_gpu.backends.cpu.cleaning import pop_bubbles, remove_chimeras, remove_isolated, remove_tips
from debruijn_gpu.backends.cpu.counting import count_buckets
from debruijn_gpu.backends.cpu.edges import both_strands, join_ends
from debruijn_gpu.backends.cpu.euler import hierholzer, weak_components
from debruijn_gpu.backends.cpu.lists import follow_lists
from debruijn_gpu.backends.cpu.number_printing import number_lines
from debruijn_gpu.backends.cpu.numbers import parse_numbers
from debruijn_gpu.backends.cpu.overlaps import kmer_graph
from debruijn_gpu.backends.cpu.parsing import parse_reads
from debruijn_gpu.backends.cpu.sequences import smallest_rotation
from debruijn_gpu.backends.cpu.sorting import sort_kmers
from debruijn_gpu.backends.cpu.superkmers import super_kmers
from debruijn_gpu.backends.cpu.text import kmer_lines
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
    "both_strands",
    "contract",
    "count_buckets",
    "expand",
    "follow_lists",
    "hierholzer",
    "join_ends",
    "kmer_graph",
    "kmer_lines",
    "larger_strands",
    "number_lines",
    "parse_numbers",
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
    "weak_components",
]
