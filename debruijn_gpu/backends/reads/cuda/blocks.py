"""Set how reads are passed to the backend; see `ReadOperations`."""

from __future__ import annotations

#: Some 40 launches for each block; larger ones cost more for pinned memory, which takes 0.6 s a gigabyte to get.
block_bytes = 16 << 20

leaves_cpus_free = True
