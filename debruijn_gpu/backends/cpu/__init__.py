"""The CPU backend: numba kernels without the GIL, driven by a thread pool."""

from debruijn_gpu.backends.cpu import pool
from debruijn_gpu.backends.cpu.check import check_walks
from debruijn_gpu.backends.cpu.circles import find_circles, pair_edges
from debruijn_gpu.backends.cpu.circuits import write_circuits
from debruijn_gpu.backends.cpu.cleaning import pop_bubbles, remove_chimeras, remove_isolated, remove_tips
from debruijn_gpu.backends.cpu.components import weak_components
from debruijn_gpu.backends.cpu.counting import count_buckets
from debruijn_gpu.backends.cpu.csr import csr_from_edges, csr_reverse, csr_tails, in_degrees, out_degrees
from debruijn_gpu.backends.cpu.distinct import distinct, distinct_counts, distinct_first
from debruijn_gpu.backends.cpu.edges import both_strands, join_ends
from debruijn_gpu.backends.cpu.euler import hierholzer
from debruijn_gpu.backends.cpu.forests import spanning_forest
from debruijn_gpu.backends.cpu.generators import (
    de_bruijn_edges,
    permutation,
    random_degrees,
    random_heads,
    ring_and_shuffle,
    ring_tree_edges,
)
from debruijn_gpu.backends.cpu.graph_names import find_name, index_names, name_table, number_names, take_names
from debruijn_gpu.backends.cpu.graph_parsing import parse_name_rows, parse_number_rows
from debruijn_gpu.backends.cpu.graph_printing import join_names, join_numbers, row_words, walk_words
from debruijn_gpu.backends.cpu.histograms import count_integers, histogram
from debruijn_gpu.backends.cpu.joining import join_circles
from debruijn_gpu.backends.cpu.joins import lookup, semi_join
from debruijn_gpu.backends.cpu.layout import transpose
from debruijn_gpu.backends.cpu.lists import follow_lists
from debruijn_gpu.backends.cpu.loops import count_loops_and_repeats
from debruijn_gpu.backends.cpu.moving import fits, synchronize, to_device, to_host
from debruijn_gpu.backends.cpu.number_printing import number_lines
from debruijn_gpu.backends.cpu.numbers import parse_numbers
from debruijn_gpu.backends.cpu.order import order_by, sort, sort_pairs, split_by_bit
from debruijn_gpu.backends.cpu.orientation import orient_edges
from debruijn_gpu.backends.cpu.overlaps import kmer_graph
from debruijn_gpu.backends.cpu.parsing import parse_reads
from debruijn_gpu.backends.cpu.ranks import page_rank
from debruijn_gpu.backends.cpu.scans import exclusive_scan, inclusive_scan, reduce
from debruijn_gpu.backends.cpu.selection import compact, matches, run_lengths
from debruijn_gpu.backends.cpu.sequences import smallest_rotation
from debruijn_gpu.backends.cpu.sorting import sort_kmers
from debruijn_gpu.backends.cpu.strong import strong_components
from debruijn_gpu.backends.cpu.superkmers import super_kmers
from debruijn_gpu.backends.cpu.text import kmer_lines
from debruijn_gpu.backends.cpu.trails import append_edges, find_added, take_ranges
from debruijn_gpu.backends.cpu.walks import (
    contract,
    expand,
    larger_strands,
    spell,
    take_lists,
    take_sequences,
    unique_successors,
)

sort_host, distinct_host, distinct_counts_host = sort, distinct, distinct_counts  # arrays are on the host anyway

__all__ = [
    "append_edges",
    "both_strands",
    "check_walks",
    "compact",
    "contract",
    "count_buckets",
    "count_integers",
    "count_loops_and_repeats",
    "csr_from_edges",
    "csr_reverse",
    "csr_tails",
    "de_bruijn_edges",
    "distinct",
    "distinct_counts",
    "distinct_counts_host",
    "distinct_first",
    "distinct_host",
    "exclusive_scan",
    "expand",
    "find_added",
    "find_circles",
    "find_name",
    "fits",
    "follow_lists",
    "hierholzer",
    "histogram",
    "in_degrees",
    "inclusive_scan",
    "index_names",
    "join_circles",
    "join_ends",
    "join_names",
    "join_numbers",
    "kmer_graph",
    "kmer_lines",
    "larger_strands",
    "lookup",
    "matches",
    "name_table",
    "number_lines",
    "number_names",
    "order_by",
    "orient_edges",
    "out_degrees",
    "page_rank",
    "pair_edges",
    "parse_name_rows",
    "parse_number_rows",
    "parse_numbers",
    "parse_reads",
    "permutation",
    "pool",
    "pop_bubbles",
    "random_degrees",
    "random_heads",
    "reduce",
    "remove_chimeras",
    "remove_isolated",
    "remove_tips",
    "ring_and_shuffle",
    "ring_tree_edges",
    "row_words",
    "run_lengths",
    "semi_join",
    "smallest_rotation",
    "sort",
    "sort_host",
    "sort_kmers",
    "sort_pairs",
    "spanning_forest",
    "spell",
    "split_by_bit",
    "strong_components",
    "super_kmers",
    "synchronize",
    "take_lists",
    "take_names",
    "take_ranges",
    "take_sequences",
    "to_device",
    "to_host",
    "transpose",
    "unique_successors",
    "walk_words",
    "weak_components",
    "write_circuits",
]
