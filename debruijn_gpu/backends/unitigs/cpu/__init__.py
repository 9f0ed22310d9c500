"""Operations on unitigs: overlap, compact, clean and spell them: the CPU side."""

from debruijn_gpu.backends.unitigs.cpu.agreement import compare_placed as compare_placed
from debruijn_gpu.backends.unitigs.cpu.alignments import align_reads as align_reads
from debruijn_gpu.backends.unitigs.cpu.anchors import (
    index_anchors as index_anchors,
    place_anchors as place_anchors,
)
from debruijn_gpu.backends.unitigs.cpu.cleaning import (
    pop_bubbles as pop_bubbles,
    remove_erroneous_connections as remove_erroneous_connections,
    remove_isolated as remove_isolated,
    remove_tips as remove_tips,
)
from debruijn_gpu.backends.unitigs.cpu.compaction import (
    choose_walks as choose_walks,
    contract as contract,
    edges_of_rows as edges_of_rows,
    induced_edges as induced_edges,
    unique_successors as unique_successors,
)
from debruijn_gpu.backends.unitigs.cpu.extension import unique_extensions as unique_extensions
from debruijn_gpu.backends.unitigs.cpu.gap_branches import is_doubtful_walk as is_doubtful_walk
from debruijn_gpu.backends.unitigs.cpu.gap_kmers import index_gap as index_gap
from debruijn_gpu.backends.unitigs.cpu.gap_overlaps import compare_reads as compare_reads, end_overlaps as end_overlaps
from debruijn_gpu.backends.unitigs.cpu.gap_walks import walk_gap as walk_gap
from debruijn_gpu.backends.unitigs.cpu.held_sequences import count_held as count_held
from debruijn_gpu.backends.unitigs.cpu.least_kmers import least_kmers as least_kmers
from debruijn_gpu.backends.unitigs.cpu.overlaps import (
    kmer_graph as kmer_graph,
    kmer_graph_bytes as kmer_graph_bytes,
)
from debruijn_gpu.backends.unitigs.cpu.placement import (
    bridging_segments as bridging_segments,
    index_dead_ends as index_dead_ends,
    index_kmers as index_kmers,
    sequence_kmers as sequence_kmers,
    spanning_segments as spanning_segments,
)
from debruijn_gpu.backends.unitigs.cpu.spelling import (
    larger_strands as larger_strands,
    merge_sequences as merge_sequences,
    sequence_text as sequence_text,
    spell as spell,
)
