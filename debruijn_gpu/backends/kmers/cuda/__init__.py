"""Operations on k-mers: count, sort and store them: the CUDA side."""

from debruijn_gpu.backends.kmers.cuda.concatenating import concatenate_counted as concatenate_counted
from debruijn_gpu.backends.kmers.cuda.joining import join_sets as join_sets
from debruijn_gpu.backends.kmers.cuda.lookups import look_up_counts as look_up_counts
from debruijn_gpu.backends.kmers.cuda.merging import merge_bytes as merge_bytes, merge_kmers as merge_kmers
from debruijn_gpu.backends.kmers.cuda.partitions import end_partitions as end_partitions
from debruijn_gpu.backends.kmers.cuda.sets import combine_sets as combine_sets, count_shared as count_shared
from debruijn_gpu.backends.kmers.cuda.shuffling import count_super_kmers as count_super_kmers
from debruijn_gpu.backends.kmers.cuda.stores import kmer_store as kmer_store
