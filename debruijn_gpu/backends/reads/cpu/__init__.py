"""Operations on reads: parse, pack, hash, copy and store them: the CPU side."""

from debruijn_gpu.backends.reads.cpu.parsing import parse_reads as parse_reads
from debruijn_gpu.backends.reads.cpu.segments import hash_reads as hash_reads, take_reads as take_reads
from debruijn_gpu.backends.reads.cpu.stores import (
    block_bytes as block_bytes,
    leaves_cpus_free as leaves_cpus_free,
    read_store as read_store,
)
