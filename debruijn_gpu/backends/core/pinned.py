"""Pin memory for the text of files while the program is still imported.

Text goes to a GPU through pinned memory, which takes 0.6 s a gigabyte to get, and 0.15 s to give back: for the first
blocks of two files as long as reading them. The thread that opens the device gets it while modules are imported, of
huge pages where the system has them: these take 0.15 s, and next to nothing.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: Text of a block where a GPU parses: some 40 launches for each
TEXT_BYTES = 16 << 20

#: A block with the room that `read_blocks` leaves before its text
BUFFER_BYTES = TEXT_BYTES + (1 << 16)

#: Blocks that large files have at least
BLOCKS_OF_FILES = 64

#: Buffers in use while two files are read: of each, some are being filled, some wait, and one is parsed
_MOST_BUFFERS = 12

#: Larger files are read in larger blocks
_MOST_FILE_BYTES = BLOCKS_OF_FILES * TEXT_BYTES

_COMMANDS = frozenset(["assemble", "count", "spectrum", "unitigs"])
_OF_ANY_CONTEXT = 1  # CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTREGISTER_PORTABLE
_HUGE_PAGE_BYTES = 2 << 20

_addresses: list[int] = []
_mapped: list[mmap.mmap] = []  # for as long as the process runs


def n_buffers(args: Sequence[str]) -> int:
    """Number of buffers that the files named by a command line fill; 0 for commands that do not parse reads."""
    if not args or args[0] not in _COMMANDS:
        return 0
    sizes = []
    for name in args[1:]:
        with suppress(OSError, ValueError):
            sizes += [os.stat(name).st_size] if os.path.isfile(name) else []
    if sum(sizes) > _MOST_FILE_BYTES:
        return 0
    return min(sum(n_bytes // TEXT_BYTES for n_bytes in sizes), _MOST_BUFFERS)


def pin(driver: Any, n: int) -> None:
    """Pin memory for up to ``n`` buffers in the current context of this thread, as many as the system allows."""
    if n == 0 or _pin_huge_pages(driver, n):
        return
    for _ in range(n):
        address = ctypes.c_void_p()
        if driver.cuMemHostAlloc(ctypes.byref(address), ctypes.c_size_t(BUFFER_BYTES), _OF_ANY_CONTEXT) != 0:
            return
        if address.value:
            _addresses.append(address.value)


def _pin_huge_pages(driver: Any, n: int) -> bool:
    """Pin one piece of memory for all buffers, of huge pages; whether that was possible."""
    try:
        memory = mmap.mmap(-1, n * BUFFER_BYTES + _HUGE_PAGE_BYTES, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        memory.madvise(mmap.MADV_HUGEPAGE)
    except (AttributeError, OSError):  # not on this system
        return False
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    start += -start % _HUGE_PAGE_BYTES
    n_bytes = ctypes.c_size_t(n * BUFFER_BYTES)
    if driver.cuMemHostRegister_v2(ctypes.c_void_p(start), n_bytes, _OF_ANY_CONTEXT) != 0:
        return False
    _mapped.append(memory)
    _addresses.extend(range(start, start + n * BUFFER_BYTES, BUFFER_BYTES))
    return True


class _Buffer(ctypes.c_uint8 * BUFFER_BYTES):  # type: ignore[misc]
    """A pinned buffer, which serves again when nothing refers to it any more."""

    def __del__(self) -> None:
        _addresses.append(ctypes.addressof(self))


def take(n_bytes: int) -> Any:
    """Return pinned memory for the text of a block, uninitialised; None where none is left, or another size is asked
    for."""
    if not BUFFER_BYTES // 2 < n_bytes <= BUFFER_BYTES:
        return None
    with suppress(IndexError):
        return _Buffer.from_address(_addresses.pop())
    return None
