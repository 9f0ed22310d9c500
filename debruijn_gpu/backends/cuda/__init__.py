"""The CUDA backend: CuPy's arrays and sorts, numba-cuda's kernels. So far what `graph_interface` asks for."""

from debruijn_gpu.backends.cuda.check import check_walks
from debruijn_gpu.backends.cuda.circles import find_circles, pair_edges
from debruijn_gpu.backends.cuda.circuits import write_circuits
from debruijn_gpu.backends.cuda.components import weak_components
from debruijn_gpu.backends.cuda.csr import csr_from_edges, csr_reverse, csr_tails, in_degrees, out_degrees
from debruijn_gpu.backends.cuda.forests import spanning_forest
from debruijn_gpu.backends.cuda.generators import (
    de_bruijn_edges,
    permutation,
    random_degrees,
    random_heads,
    ring_and_shuffle,
    ring_tree_edges,
)
from debruijn_gpu.backends.cuda.histograms import count_integers, histogram
from debruijn_gpu.backends.cuda.joining import join_circles
from debruijn_gpu.backends.cuda.joins import lookup, semi_join
from debruijn_gpu.backends.cuda.layout import transpose
from debruijn_gpu.backends.cuda.lists import follow_lists
from debruijn_gpu.backends.cuda.loops import count_loops_and_repeats
from debruijn_gpu.backends.cuda.memory import fits, guarded, set_budget
from debruijn_gpu.backends.cuda.order import order_by, sort, sort_pairs, split_by_bit
from debruijn_gpu.backends.cuda.ranks import page_rank
from debruijn_gpu.backends.cuda.runs import distinct_counts_host, distinct_first_host, distinct_host, sort_host
from debruijn_gpu.backends.cuda.runtime import synchronize, to_host
from debruijn_gpu.backends.cuda.runtime import to_device as _to_device
from debruijn_gpu.backends.cuda.scans import exclusive_scan, inclusive_scan, reduce
from debruijn_gpu.backends.cuda.selection import (
    compact,
    distinct,
    distinct_counts,
    distinct_first,
    matches,
    run_lengths,
)
from debruijn_gpu.backends.cuda.strong import strong_components
from debruijn_gpu.backends.cuda.trails import append_edges, find_added, take_ranges

to_device = guarded(_to_device)

__all__ = [
    "append_edges",
    "check_walks",
    "compact",
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
    "distinct_first_host",
    "distinct_host",
    "exclusive_scan",
    "find_added",
    "find_circles",
    "fits",
    "follow_lists",
    "histogram",
    "in_degrees",
    "inclusive_scan",
    "join_circles",
    "lookup",
    "matches",
    "order_by",
    "out_degrees",
    "page_rank",
    "pair_edges",
    "permutation",
    "random_degrees",
    "random_heads",
    "reduce",
    "ring_and_shuffle",
    "ring_tree_edges",
    "run_lengths",
    "semi_join",
    "set_budget",
    "sort",
    "sort_host",
    "sort_pairs",
    "spanning_forest",
    "split_by_bit",
    "strong_components",
    "synchronize",
    "take_ranges",
    "to_device",
    "to_host",
    "transpose",
    "weak_components",
    "write_circuits",
]
