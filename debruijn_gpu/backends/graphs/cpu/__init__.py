"""Operations on graphs in compressed sparse rows: the CPU side."""

from debruijn_gpu.backends.graphs.cpu.components import weak_components as weak_components
from debruijn_gpu.backends.graphs.cpu.csr import (
    csr_from_edges as csr_from_edges,
    csr_reverse as csr_reverse,
    csr_tails as csr_tails,
    in_degrees as in_degrees,
    out_degrees as out_degrees,
)
from debruijn_gpu.backends.graphs.cpu.flows import cheapest_flow as cheapest_flow
from debruijn_gpu.backends.graphs.cpu.forests import spanning_forest as spanning_forest
from debruijn_gpu.backends.graphs.cpu.generators import (
    de_bruijn_edges as de_bruijn_edges,
    permutation as permutation,
    random_degrees as random_degrees,
    random_heads as random_heads,
    ring_and_shuffle as ring_and_shuffle,
    ring_tree_edges as ring_tree_edges,
)
from debruijn_gpu.backends.graphs.cpu.loops import count_loops_and_repeats as count_loops_and_repeats
from debruijn_gpu.backends.graphs.cpu.ranking import page_rank as page_rank
from debruijn_gpu.backends.graphs.cpu.strong_connection import strong_components as strong_components
