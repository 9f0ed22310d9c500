"""Operations on reads: parse, pack, hash, copy and store them: the CUDA side."""

from debruijn_gpu.backends.reads.cuda.parsing import parse_reads as parse_reads
from debruijn_gpu.backends.reads.cuda.segments import hash_reads as hash_reads, take_reads as take_reads
from debruijn_gpu.backends.reads.cuda.stores import (
    block_bytes as block_bytes,
    leaves_cpus_free as leaves_cpus_free,
    read_store as read_store,
)
