"""Operations on k-mers: count, sort and store them: the CPU side."""

from debruijn_gpu.backends.kmers.cpu.blocks import decode_blocks as decode_blocks, encode_blocks as encode_blocks
from debruijn_gpu.backends.kmers.cpu.buckets import kmer_lines as kmer_lines
from debruijn_gpu.backends.kmers.cpu.edges import both_strands as both_strands, number_ends as number_ends
from debruijn_gpu.backends.kmers.cpu.joining import join_sets as join_sets
from debruijn_gpu.backends.kmers.cpu.lookups import look_up_counts as look_up_counts
from debruijn_gpu.backends.kmers.cpu.matrices import (
    kmer_letters as kmer_letters,
    matrix_lines as matrix_lines,
    presence_lines as presence_lines,
)
from debruijn_gpu.backends.kmers.cpu.partitions import end_partitions as end_partitions
from debruijn_gpu.backends.kmers.cpu.sets import combine_sets as combine_sets, count_shared as count_shared
from debruijn_gpu.backends.kmers.cpu.shuffling import (
    count_super_kmers as count_super_kmers,
    pack_super_kmers as pack_super_kmers,
)
from debruijn_gpu.backends.kmers.cpu.stores import (
    concatenate_counted as concatenate_counted,
    kmer_store as kmer_store,
    merge_bytes as merge_bytes,
    merge_kmers as merge_kmers,
)
