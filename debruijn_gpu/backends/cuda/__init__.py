"""The CUDA backend: CuPy's arrays and sorts, numba-cuda's kernels. What `device_interface` asks for."""

from debruijn_gpu.backends.arrays.cuda.histograms import count_integers, histogram
from debruijn_gpu.backends.arrays.cuda.layout import transpose
from debruijn_gpu.backends.arrays.cuda.lookups import lookup, semi_join
from debruijn_gpu.backends.arrays.cuda.rows import expand, single_steps, sum_lists, take_lists
from debruijn_gpu.backends.arrays.cuda.runs import distinct_counts_host, distinct_first_host, distinct_host, sort_host
from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan, inclusive_scan, reduce
from debruijn_gpu.backends.arrays.cuda.selection import (
    compact,
    distinct,
    distinct_counts,
    distinct_first,
    matches,
    run_lengths,
)
from debruijn_gpu.backends.arrays.cuda.sorting import order_by, sort, sort_pairs, split_by_bit
from debruijn_gpu.backends.circuits.cuda.checking import check_walks
from debruijn_gpu.backends.circuits.cuda.cycles import find_circles
from debruijn_gpu.backends.circuits.cuda.list_ranking import follow_lists
from debruijn_gpu.backends.circuits.cuda.pairing import pair_edges
from debruijn_gpu.backends.circuits.cuda.splices import join_circles
from debruijn_gpu.backends.circuits.cuda.trails import append_edges, find_added, take_ranges
from debruijn_gpu.backends.circuits.cuda.writing import write_circuits
from debruijn_gpu.backends.core.cuda.memory import fits, memory_left, set_budget, to_device
from debruijn_gpu.backends.core.cuda.runtime import host_buffer, synchronize, to_host
from debruijn_gpu.backends.graphs.cuda.components import weak_components
from debruijn_gpu.backends.graphs.cuda.csr import csr_from_edges, csr_reverse, csr_tails, in_degrees, out_degrees
from debruijn_gpu.backends.graphs.cuda.forests import spanning_forest
from debruijn_gpu.backends.graphs.cuda.generators import (
    de_bruijn_edges,
    permutation,
    random_degrees,
    random_heads,
    ring_and_shuffle,
    ring_tree_edges,
)
from debruijn_gpu.backends.graphs.cuda.loops import count_loops_and_repeats
from debruijn_gpu.backends.graphs.cuda.ranking import page_rank
from debruijn_gpu.backends.graphs.cuda.strong_connection import strong_components
from debruijn_gpu.backends.kmers.cuda.stores import join_counted, kmer_store
from debruijn_gpu.backends.reads.cuda.blocks import block_bytes, leaves_cpus_free
from debruijn_gpu.backends.reads.cuda.parsing import parse_reads
from debruijn_gpu.backends.reads.cuda.stores import read_store
from debruijn_gpu.backends.sequences.cuda.look_and_say import look_at_term, say_term
from debruijn_gpu.backends.sequences.cuda.necklaces import lyndon_symbols
from debruijn_gpu.backends.sequences.cuda.registers import (
    combine_symbols,
    join_symbols,
    register_bits,
    register_symbols,
)
from debruijn_gpu.backends.sequences.cuda.symbols import (
    checksum_bytes,
    pack_symbols,
    translate_symbols,
    unpack_symbols,
)
from debruijn_gpu.backends.sequences.cuda.windows import empty_bitmap, first_repeat, leading_symbols, mark_windows
from debruijn_gpu.backends.sequences.cuda.words import (
    digit_sums,
    extend_words,
    least_rotations,
    quotients,
    remainders,
)
from debruijn_gpu.backends.spectra.cuda.masses import (
    complete_spectrum,
    correlate_masses,
    count_below,
    count_masses,
    sort_masses,
    sort_spectrum,
)
from debruijn_gpu.backends.spectra.cuda.scoring import score_extensions, score_peptides
from debruijn_gpu.backends.unitigs.cuda.cleaning import pop_bubbles, remove_chimeras, remove_isolated, remove_tips
from debruijn_gpu.backends.unitigs.cuda.compaction import choose_walks, contract, living_edges, unique_successors
from debruijn_gpu.backends.unitigs.cuda.overlaps import kmer_graph
from debruijn_gpu.backends.unitigs.cuda.spelling import larger_strands, spell, take_sequences

__all__ = [
    "append_edges",
    "block_bytes",
    "check_walks",
    "checksum_bytes",
    "choose_walks",
    "combine_symbols",
    "compact",
    "complete_spectrum",
    "contract",
    "correlate_masses",
    "count_below",
    "count_integers",
    "count_loops_and_repeats",
    "count_masses",
    "csr_from_edges",
    "csr_reverse",
    "csr_tails",
    "de_bruijn_edges",
    "digit_sums",
    "distinct",
    "distinct_counts",
    "distinct_counts_host",
    "distinct_first",
    "distinct_first_host",
    "distinct_host",
    "empty_bitmap",
    "exclusive_scan",
    "expand",
    "extend_words",
    "find_added",
    "find_circles",
    "first_repeat",
    "fits",
    "follow_lists",
    "histogram",
    "host_buffer",
    "in_degrees",
    "inclusive_scan",
    "join_circles",
    "join_counted",
    "join_symbols",
    "kmer_graph",
    "kmer_store",
    "larger_strands",
    "leading_symbols",
    "least_rotations",
    "leaves_cpus_free",
    "living_edges",
    "look_at_term",
    "lookup",
    "lyndon_symbols",
    "mark_windows",
    "matches",
    "memory_left",
    "order_by",
    "out_degrees",
    "pack_symbols",
    "page_rank",
    "pair_edges",
    "parse_reads",
    "permutation",
    "pop_bubbles",
    "quotients",
    "random_degrees",
    "random_heads",
    "read_store",
    "reduce",
    "register_bits",
    "register_symbols",
    "remainders",
    "remove_chimeras",
    "remove_isolated",
    "remove_tips",
    "ring_and_shuffle",
    "ring_tree_edges",
    "run_lengths",
    "say_term",
    "score_extensions",
    "score_peptides",
    "semi_join",
    "set_budget",
    "single_steps",
    "sort",
    "sort_host",
    "sort_masses",
    "sort_pairs",
    "sort_spectrum",
    "spanning_forest",
    "spell",
    "split_by_bit",
    "strong_components",
    "sum_lists",
    "synchronize",
    "take_lists",
    "take_ranges",
    "take_sequences",
    "to_device",
    "to_host",
    "translate_symbols",
    "transpose",
    "unique_successors",
    "unpack_symbols",
    "weak_components",
    "write_circuits",
]
