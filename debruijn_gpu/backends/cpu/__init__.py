"""The CPU backend: numba kernels without the GIL, driven by a thread pool."""

from debruijn_gpu.backends.arrays.cpu.distinct_values import distinct, distinct_counts, distinct_first
from debruijn_gpu.backends.arrays.cpu.histograms import count_integers, histogram
from debruijn_gpu.backends.arrays.cpu.layout import transpose
from debruijn_gpu.backends.arrays.cpu.lookups import lookup, semi_join
from debruijn_gpu.backends.arrays.cpu.rows import expand, single_steps, sum_lists, take_lists
from debruijn_gpu.backends.arrays.cpu.scans import exclusive_scan, inclusive_scan, reduce
from debruijn_gpu.backends.arrays.cpu.selection import compact, matches, run_lengths
from debruijn_gpu.backends.arrays.cpu.sorting import order_by, sort, sort_pairs, split_by_bit
from debruijn_gpu.backends.circuits.cpu.checking import check_walks
from debruijn_gpu.backends.circuits.cpu.cycles import find_circles
from debruijn_gpu.backends.circuits.cpu.list_ranking import follow_lists
from debruijn_gpu.backends.circuits.cpu.orientation import orient_edges
from debruijn_gpu.backends.circuits.cpu.pairing import pair_edges
from debruijn_gpu.backends.circuits.cpu.sequential import hierholzer
from debruijn_gpu.backends.circuits.cpu.splices import join_circles
from debruijn_gpu.backends.circuits.cpu.trails import append_edges, find_added, take_ranges
from debruijn_gpu.backends.circuits.cpu.writing import write_circuits
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.transfer import fits, host_buffer, memory_left, synchronize, to_device, to_host
from debruijn_gpu.backends.graphs.cpu.components import weak_components
from debruijn_gpu.backends.graphs.cpu.csr import csr_from_edges, csr_reverse, csr_tails, in_degrees, out_degrees
from debruijn_gpu.backends.graphs.cpu.flows import cheapest_flow
from debruijn_gpu.backends.graphs.cpu.forests import spanning_forest
from debruijn_gpu.backends.graphs.cpu.generators import (
    de_bruijn_edges,
    permutation,
    random_degrees,
    random_heads,
    ring_and_shuffle,
    ring_tree_edges,
)
from debruijn_gpu.backends.graphs.cpu.loops import count_loops_and_repeats
from debruijn_gpu.backends.graphs.cpu.ranking import page_rank
from debruijn_gpu.backends.graphs.cpu.strong_connection import strong_components
from debruijn_gpu.backends.kmers.cpu.edges import both_strands, join_ends
from debruijn_gpu.backends.kmers.cpu.lines import kmer_lines
from debruijn_gpu.backends.kmers.cpu.stores import join_counted, kmer_store
from debruijn_gpu.backends.reads.cpu.blocks import block_bytes, leaves_cpus_free
from debruijn_gpu.backends.reads.cpu.parsing import parse_reads
from debruijn_gpu.backends.reads.cpu.stores import read_store
from debruijn_gpu.backends.sequences.cpu.colex import follow_colex, skip_colex
from debruijn_gpu.backends.sequences.cpu.exits import walk_at_random, walk_prefer_same
from debruijn_gpu.backends.sequences.cpu.logarithms import find_logs, make_steps
from debruijn_gpu.backends.sequences.cpu.long_sums import extend_long_sums, set_long_series
from debruijn_gpu.backends.sequences.cpu.look_and_say import look_at_term, say_term
from debruijn_gpu.backends.sequences.cpu.necklaces import (
    follow_lyndon,
    lyndon_positions,
    lyndon_symbols,
    lyndon_windows,
)
from debruijn_gpu.backends.sequences.cpu.registers import (
    combine_symbols,
    join_symbols,
    register_bits,
    register_symbols,
)
from debruijn_gpu.backends.sequences.cpu.rings import (
    is_primitive,
    ring_elements,
    ring_powers,
    ring_powers_of_x,
    ring_product,
    ring_windows,
)
from debruijn_gpu.backends.sequences.cpu.rotations import smallest_rotation
from debruijn_gpu.backends.sequences.cpu.symbols import (
    checksum_bytes,
    pack_symbols,
    translate_symbols,
    unpack_symbols,
)
from debruijn_gpu.backends.sequences.cpu.windows import empty_bitmap, first_repeat, leading_symbols, mark_windows
from debruijn_gpu.backends.sequences.cpu.words import digit_sums, extend_words, least_rotations, quotients, remainders
from debruijn_gpu.backends.spectra.cpu.ideal import search_ideal
from debruijn_gpu.backends.spectra.cpu.masses import (
    complete_spectrum,
    correlate_masses,
    count_below,
    count_masses,
    sort_masses,
    sort_spectrum,
)
from debruijn_gpu.backends.spectra.cpu.scoring import score_extensions, score_peptides
from debruijn_gpu.backends.text.cpu.graph_names import find_name, index_names, name_table, number_names, take_names
from debruijn_gpu.backends.text.cpu.graph_parsing import parse_name_rows, parse_number_rows
from debruijn_gpu.backends.text.cpu.graph_printing import join_names, join_numbers, row_words, walk_words
from debruijn_gpu.backends.text.cpu.number_printing import number_lines
from debruijn_gpu.backends.text.cpu.number_spelling import record_lines
from debruijn_gpu.backends.text.cpu.numbers import parse_numbers
from debruijn_gpu.backends.text.cpu.records import format_records, leading_bases
from debruijn_gpu.backends.text.cpu.symbols import encode_letters, spell_names
from debruijn_gpu.backends.unitigs.cpu.cleaning import pop_bubbles, remove_chimeras, remove_isolated, remove_tips
from debruijn_gpu.backends.unitigs.cpu.compaction import choose_walks, contract, living_edges, unique_successors
from debruijn_gpu.backends.unitigs.cpu.overlaps import kmer_graph
from debruijn_gpu.backends.unitigs.cpu.spelling import larger_strands, spell, take_sequences

sort_host, distinct_host, distinct_counts_host = sort, distinct, distinct_counts  # arrays are on the host anyway

__all__ = [
    "append_edges",
    "block_bytes",
    "both_strands",
    "cheapest_flow",
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
    "distinct_host",
    "empty_bitmap",
    "encode_letters",
    "exclusive_scan",
    "expand",
    "extend_long_sums",
    "extend_words",
    "find_added",
    "find_circles",
    "find_logs",
    "find_name",
    "first_repeat",
    "fits",
    "follow_colex",
    "follow_lists",
    "follow_lyndon",
    "format_records",
    "hierholzer",
    "histogram",
    "host_buffer",
    "in_degrees",
    "inclusive_scan",
    "index_names",
    "is_primitive",
    "join_circles",
    "join_counted",
    "join_ends",
    "join_names",
    "join_numbers",
    "join_symbols",
    "kmer_graph",
    "kmer_lines",
    "kmer_store",
    "larger_strands",
    "leading_bases",
    "leading_symbols",
    "least_rotations",
    "leaves_cpus_free",
    "living_edges",
    "look_at_term",
    "lookup",
    "lyndon_positions",
    "lyndon_symbols",
    "lyndon_windows",
    "make_steps",
    "mark_windows",
    "matches",
    "memory_left",
    "name_table",
    "number_lines",
    "number_names",
    "order_by",
    "orient_edges",
    "out_degrees",
    "pack_symbols",
    "page_rank",
    "pair_edges",
    "parse_name_rows",
    "parse_number_rows",
    "parse_numbers",
    "parse_reads",
    "permutation",
    "pop_bubbles",
    "quotients",
    "random_degrees",
    "random_heads",
    "read_store",
    "record_lines",
    "reduce",
    "register_bits",
    "register_symbols",
    "remainders",
    "remove_chimeras",
    "remove_isolated",
    "remove_tips",
    "ring_and_shuffle",
    "ring_elements",
    "ring_powers",
    "ring_powers_of_x",
    "ring_product",
    "ring_tree_edges",
    "ring_windows",
    "row_words",
    "run_lengths",
    "say_term",
    "score_extensions",
    "score_peptides",
    "search_ideal",
    "semi_join",
    "set_long_series",
    "single_steps",
    "skip_colex",
    "smallest_rotation",
    "sort",
    "sort_host",
    "sort_masses",
    "sort_pairs",
    "sort_spectrum",
    "spanning_forest",
    "spell",
    "spell_names",
    "split_by_bit",
    "strong_components",
    "sum_lists",
    "synchronize",
    "take_lists",
    "take_names",
    "take_ranges",
    "take_sequences",
    "threads",
    "to_device",
    "to_host",
    "translate_symbols",
    "transpose",
    "unique_successors",
    "unpack_symbols",
    "walk_at_random",
    "walk_prefer_same",
    "walk_words",
    "weak_components",
    "write_circuits",
]
