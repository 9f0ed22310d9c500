"""Operations on graphs in compressed sparse rows: the CUDA side."""

from debruijn_gpu.backends.graphs.cuda.components import (
    spanning_forest as spanning_forest,
    weak_components as weak_components,
)
from debruijn_gpu.backends.graphs.cuda.csr import (
    count_loops_and_repeats as count_loops_and_repeats,
    csr_from_edges as csr_from_edges,
    csr_reverse as csr_reverse,
    csr_tails as csr_tails,
    in_degrees as in_degrees,
    out_degrees as out_degrees,
)
from debruijn_gpu.backends.graphs.cuda.generators import (
    cactus_edges as cactus_edges,
    cycle_and_shuffle as cycle_and_shuffle,
    de_bruijn_edges as de_bruijn_edges,
    permutation as permutation,
    random_degrees as random_degrees,
    random_heads as random_heads,
)
from debruijn_gpu.backends.graphs.cuda.ranking import page_rank as page_rank
from debruijn_gpu.backends.graphs.cuda.strong_connection import strong_components as strong_components
