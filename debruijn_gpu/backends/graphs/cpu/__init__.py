"""Operations on graphs in compressed sparse rows: the CPU side."""

from debruijn_gpu.backends.graphs.cpu.components import (
    spanning_forest as spanning_forest,
    weak_components as weak_components,
)
from debruijn_gpu.backends.graphs.cpu.csr import (
    count_loops_and_repeats as count_loops_and_repeats,
    csr_from_edges as csr_from_edges,
    csr_reverse as csr_reverse,
    csr_tails as csr_tails,
    in_degrees as in_degrees,
    out_degrees as out_degrees,
)
from debruijn_gpu.backends.graphs.cpu.flows import min_cost_flow as min_cost_flow
from debruijn_gpu.backends.graphs.cpu.generators import (
    cactus_edges as cactus_edges,
    cycle_and_shuffle as cycle_and_shuffle,
    de_bruijn_edges as de_bruijn_edges,
    permutation as permutation,
    random_degrees as random_degrees,
    random_heads as random_heads,
)
from debruijn_gpu.backends.graphs.cpu.ranking import page_rank as page_rank
from debruijn_gpu.backends.graphs.cpu.strong_connection import strong_components as strong_components
