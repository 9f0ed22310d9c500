"""Operations on reads: parse, pack, hash, trim, copy and store them: the CUDA side."""

from debruijn_gpu.backends.reads.cuda.parsing import parse_reads as parse_reads
from debruijn_gpu.backends.reads.cuda.segments import hash_reads as hash_reads, take_reads as take_reads
from debruijn_gpu.backends.reads.cuda.stores import (
    block_bytes as block_bytes,
    large_block_bytes as large_block_bytes,
    leaves_cpus_free as leaves_cpus_free,
    read_store as read_store,
)
from debruijn_gpu.backends.reads.cuda.trimming import (
    adapter_starts as adapter_starts,
    short_inserts as short_inserts,
    trailing_runs as trailing_runs,
    words_at as words_at,
)
