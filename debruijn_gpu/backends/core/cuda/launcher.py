"""Arguments of kernels, as the driver takes them: an address for each, of a word of eight bytes.

An array is seven arguments or more, in the order of numba: 0, 0, items, bytes of an item, address, shape, strides.
Launches of small graphs take as long as this takes in Python, so that words which do not change are written once.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from debruijn_gpu.backends.core.cuda.array_module import is_contiguous, xp

_MORE_THAN_DTYPES = 1000  # NumPy numbers its dtypes below this
_WORD = (1 << 64) - 1
_TOO_MANY_BLOCKS = 720  # CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
_INTEGERS = frozenset(np.dtype(code).type for code in "?bBhHiIlLqQ")


def words_and_types(args: tuple[Any, ...]) -> tuple[list[int], tuple[Any, ...]]:
    """Return the words of arguments that change from launch to launch, and what tells their types.

    Parameters
    ----------
    args
        Contiguous arrays and NumPy scalars.

    Raises
    ------
    ValueError
        If an array is not contiguous.
    """
    words: list[int] = []
    types: list[Any] = []
    add, add_type = words.append, types.append
    for arg in args:
        kind = type(arg)
        if kind in _INTEGERS:
            add(int(arg) & _WORD)
            add_type(kind)
            continue
        dtype, n_dimensions = arg.dtype, arg.ndim
        if not n_dimensions:
            add(int(arg.view(f"u{dtype.itemsize}") if dtype.kind == "f" else arg) & _WORD)
        elif not is_contiguous(arg):
            raise ValueError("kernels take contiguous arrays")
        else:
            add(arg.size)
            add(arg.data.ptr)
            if n_dimensions > 1:
                words += (*arg.shape, *arg.strides)
        add_type(dtype.num + _MORE_THAN_DTYPES * n_dimensions)
    return words, tuple(types)


class Launcher:
    """A compiled kernel and room for its arguments.

    Parameters
    ----------
    handle : int
        The driver's, of a kernel whose module stays loaded.
    arguments : sequence of (dtype, int)
        Of each argument dtype and number of dimensions.
    """

    def __init__(self, handle: int, arguments: Sequence[tuple[Any, int]]) -> None:
        self._handle = handle
        n_words = sum(1 if not n else 2 if n == 1 else 2 + 2 * n for _, n in arguments)
        constants = [0, *(dtype.itemsize for dtype, _ in arguments)]
        self._words = (ctypes.c_uint64 * (n_words + len(constants)))()
        self._words[n_words:] = constants
        order = _order(arguments, n_words)
        first = ctypes.addressof(self._words)
        self._addresses = (ctypes.c_void_p * len(order))(*(first + 8 * word for word in order))
        self._parameters = ctypes.addressof(self._addresses)
        self._pack = struct.Struct(f"<{n_words}Q").pack_into
        self._lock = threading.Lock()
        self._at_once: dict[int, int] = {}

    def __call__(self, words: list[int], grid: int, block: int, shared: int) -> None:
        """Launch with the words of `words_and_types`."""
        with self._lock:
            self._pack(self._words, 0, *words)
            xp.cuda.driver.launchKernel(self._handle, grid, 1, 1, block, 1, 1, shared, 0, self._parameters, 0)

    def together(self, words: list[int], grid: int, block: int) -> None:
        """Launch blocks that wait for each other: a single one where the device has no room for all of them at once, as
        if another process may use some of its multiprocessors."""
        launch, of_block = xp.cuda.driver.launchCooperativeKernel, (block, 1, 1, 0, 0, self._parameters)
        with self._lock:
            self._pack(self._words, 0, *words)
            try:
                launch(self._handle, grid, 1, 1, *of_block)
            except xp.cuda.driver.CUDADriverError as error:
                if error.status != _TOO_MANY_BLOCKS:
                    raise
                launch(self._handle, 1, 1, 1, *of_block)

    def blocks_at_once(self, block: int) -> int:
        """Number of blocks of so many threads that a multiprocessor runs at once."""
        if block not in self._at_once:
            self._at_once[block] = xp.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(self._handle, block, 0)
        return self._at_once[block]


def _order(arguments: Sequence[tuple[Any, int]], zero: int) -> list[int]:
    """Number of the word of each parameter; constants begin at ``zero``: it, and the item size of each argument."""
    order: list[int] = []
    at = 0
    for number, (_, n) in enumerate(arguments):
        item = zero + 1 + number
        if not n:
            order.append(at)
            at += 1
        elif n == 1:
            order += (zero, zero, at, item, at + 1, at, item)
            at += 2
        else:
            order += (zero, zero, at, item, at + 1, *range(at + 2, at + 2 + 2 * n))
            at += 2 + 2 * n
    return order
