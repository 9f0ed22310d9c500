"""Pin memory for the text of files while the program is still imported.

Text goes to a GPU through pinned memory, which takes 0.6 s a gigabyte to get, and 0.15 s to give back: for the first
blocks of two files as long as reading them. The thread that opens the device gets it while modules are imported, of
huge pages where the system has them: these take 0.15 s, and next to nothing.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
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


class Buffers:
    """Memory for ``n`` buffers that is yet to be pinned: huge pages, if the system has them.

    A thread begins to write to them, for the system gives out pages that are pinned under a lock, for which all other
    threads of the process wait: 0.05 s in the middle of their imports.
    """

    def __init__(self, n: int) -> None:
        self._n = n
        self._n_bytes = n * BUFFER_BYTES
        self._memory: mmap.mmap | None = None
        if n == 0:
            return
        try:
            memory = mmap.mmap(-1, self._n_bytes + _HUGE_PAGE_BYTES, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            memory.madvise(mmap.MADV_HUGEPAGE)
            self._memset = ctypes.CDLL(None).memset
        except (AttributeError, OSError, TypeError):  # not on this system
            return
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        self._memory, self._start = memory, start + -start % _HUGE_PAGE_BYTES
        self._writing = threading.Thread(target=self._write, name="dbg-huge-pages", daemon=True)
        self._writing.start()

    def _write(self) -> None:
        """Write to all pages; the thread keeps them, even if the device does not open and nobody else does."""
        self._memset(ctypes.c_void_p(self._start), 0, ctypes.c_size_t(self._n_bytes))

    def pin(self, driver: Any) -> None:
        """Pin as many buffers as the system allows in the current context of this thread."""
        if self._n == 0 or self._pin_pages(driver):
            return
        for _ in range(self._n):
            address = ctypes.c_void_p()
            if driver.cuMemHostAlloc(ctypes.byref(address), ctypes.c_size_t(BUFFER_BYTES), _OF_ANY_CONTEXT) != 0:
                return
            if address.value:
                _addresses.append(address.value)

    def _pin_pages(self, driver: Any) -> bool:
        """Pin the huge pages as one piece; whether that was possible."""
        if self._memory is None:
            return False
        self._writing.join()
        n_bytes = ctypes.c_size_t(self._n_bytes)
        if driver.cuMemHostRegister_v2(ctypes.c_void_p(self._start), n_bytes, _OF_ANY_CONTEXT) != 0:
            return False
        _mapped.append(self._memory)
        _addresses.extend(range(self._start, self._start + self._n_bytes, BUFFER_BYTES))
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
