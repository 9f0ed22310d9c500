"""Set how reads are passed to the backend; see `ReadOperations`."""

from __future__ import annotations

#: Some 4 million bases of FASTQ, 8 million of FASTA: what counts them stays in the cache.
block_bytes = 8 << 20

leaves_cpus_free = False
