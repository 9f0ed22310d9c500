"""Operations on unitigs: overlap, compact, clean and spell them: the CUDA side."""

from debruijn_gpu.backends.unitigs.cuda.agreement import compare_placed as compare_placed
from debruijn_gpu.backends.unitigs.cuda.anchors import (
    index_anchors as index_anchors,
    place_anchors as place_anchors,
)
from debruijn_gpu.backends.unitigs.cuda.cleaning import (
    pop_bubbles as pop_bubbles,
    remove_erroneous_connections as remove_erroneous_connections,
    remove_isolated as remove_isolated,
    remove_tips as remove_tips,
)
from debruijn_gpu.backends.unitigs.cuda.compaction import (
    choose_walks as choose_walks,
    contract as contract,
    edges_of_rows as edges_of_rows,
    induced_edges as induced_edges,
    unique_successors as unique_successors,
)
from debruijn_gpu.backends.unitigs.cuda.extension import unique_extensions as unique_extensions
from debruijn_gpu.backends.unitigs.cuda.least_kmers import least_kmers as least_kmers
from debruijn_gpu.backends.unitigs.cuda.overlaps import (
    kmer_graph as kmer_graph,
    kmer_graph_bytes as kmer_graph_bytes,
)
from debruijn_gpu.backends.unitigs.cuda.placement import (
    bridging_segments as bridging_segments,
    index_dead_ends as index_dead_ends,
    index_kmers as index_kmers,
    sequence_kmers as sequence_kmers,
    spanning_segments as spanning_segments,
)
from debruijn_gpu.backends.unitigs.cuda.spelling import (
    larger_strands as larger_strands,
    merge_sequences as merge_sequences,
    sequence_text as sequence_text,
    spell as spell,
)
