"""How reads are best handed over; see `ReadBackend`."""

from __future__ import annotations

#: Some 40 launches for each block.
block_bytes = 32 << 20

leaves_cpus_free = True
