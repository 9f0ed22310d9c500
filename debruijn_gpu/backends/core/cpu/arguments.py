"""Turn the arguments of a kernel into words of eight bytes, and words into its results.

A kernel in the store is called with the address of a row of words: for an array its address, shape and strides (bytes),
for a number its bits, for a tuple those of its items; then come the results, and the exception if there is one. The
kernel's signature is a text:

========= ======================================================================
``i8``    a number, by NumPy's name of its dtype
``u8:1C`` an array: dtype, dimensions, and C if it is contiguous in C's order, else A
``(...)`` a tuple
``m.C(...)`` a named tuple of class C of module m, with the names of the items: ``first=i8``
``-``     None
========= ======================================================================
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

Words = list[int]
_SIGN, _ALL = 1 << 63, (1 << 64) - 1
_FLAGS, _FLAG_BITS = 0x101, 9  # of NumPy: contiguous in C's order, and aligned
#: Types of numbers whose words are those of int
_INTEGERS = frozenset([bool, np.bool_, *(np.dtype(f"{sign}{size}").type for sign in "iu" for size in (1, 2, 4, 8))])
_KINDS = "biufc"  # of dtypes
_TYPES: dict[type, str] = {bool: "b1", int: "i8", float: "f8", type(None): "-"}
_libc = ctypes.CDLL(None)
_libc.free.argtypes = [ctypes.c_void_p]
_releasing = threading.Lock()


def pack(args: Sequence[Any], words: Words, key: list[Any]) -> None:
    """Append the words of arguments, and what tells their types apart, a hashable value each.

    Raises
    ------
    TypeError
        If an argument is neither an array, a number, None nor a tuple of these.
    OverflowError
        If an integer has more than 64 bits.
    """
    for arg in args:
        kind = type(arg)
        if kind in _INTEGERS:
            words.append(int(arg) & _ALL)
            key.append(kind)
        elif kind is np.ndarray:
            shape = arg.shape
            words.append(arg.__array_interface__["data"][0])
            words += shape
            words += arg.strides
            key.append(arg.dtype)
            key.append(len(shape) << _FLAG_BITS | arg.flags.num & _FLAGS)
        elif isinstance(arg, tuple):
            inner: list[Any] = [kind]
            pack(arg, words, inner)
            key.append(tuple(inner))
        else:
            _pack_other(arg, words, key)


def _pack_other(arg: Any, words: Words, key: list[Any]) -> None:
    kind = type(arg)
    if kind is int:
        if not -_SIGN <= arg <= _ALL:
            raise OverflowError(f"kernels take integers of 64 bits, got {arg}")
        kind = int if arg < _SIGN else np.uint64
        words.append(arg & _ALL)
    elif kind is float or kind is np.float64:
        kind = float
        words.append(*struct.unpack("<Q", struct.pack("<d", arg)))
    elif kind is np.float32:
        words.append(*struct.unpack("<I", struct.pack("<f", arg)))
    elif isinstance(arg, np.integer):  # another name of a C type
        words.append(int(arg) & _ALL)
    elif isinstance(arg, np.ndarray):  # a memory map, or another class of the user's
        pack([np.asarray(arg)], words, key)
        return
    elif arg is not None:
        raise TypeError(f"kernels do not take {kind.__name__}")
    key.append(kind)


def signature_of(args: Sequence[Any]) -> str:
    """Write the types of arguments as text.

    Raises
    ------
    TypeError
        If an array is not aligned, its bytes are not in the machine's order, or its items are not numbers: no kernel is
        made for that.
    """
    return ",".join(map(_type_of, args))


def _type_of(arg: Any) -> str:
    if isinstance(arg, np.ndarray):
        if not (arg.flags.aligned and arg.dtype.isnative):
            raise TypeError("kernels take aligned arrays in the machine's byte order")
        if arg.dtype.kind not in _KINDS:
            raise TypeError(f"kernels do not take arrays of {arg.dtype}")
        return f"{arg.dtype.str[1:]}:{arg.ndim}{'C' if arg.flags.c_contiguous else 'A'}"
    if isinstance(arg, tuple):
        return _tuple_type(arg)
    if isinstance(arg, np.generic):
        return arg.dtype.str[1:]
    if type(arg) is int and arg >= _SIGN:
        return "u8"
    return _TYPES[type(arg)]


def _tuple_type(items: tuple[Any, ...]) -> str:
    if type(items) is tuple:
        return f"({signature_of(items)})"
    kind = type(items)
    named = ",".join(f"{name}={_type_of(item)}" for name, item in zip(kind._fields, items, strict=True))  # type: ignore[attr-defined]
    return f"{kind.__module__}.{kind.__qualname__}({named})"


def tuple_type(text: str) -> tuple[str, list[str]]:
    """Class and types of the items of a tuple; the class is empty if the items have no names."""
    kind, _, rest = text.partition("(")
    items = split_signature(rest[:-1])
    return kind, [item.partition("=")[2] for item in items] if kind else items


def split_signature(text: str) -> list[str]:
    """Split the types of arguments, or of the items of a tuple without its parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts if text else []


def array_type(text: str) -> tuple[str, int, bool]:
    """Dtype, number of dimensions, and whether it is contiguous, of the text of an array."""
    dtype, _, rest = text.partition(":")
    return dtype, int(rest[:-1]), rest[-1] == "C"


def n_words(text: str) -> int:
    """Return the number of words of an argument."""
    if text.endswith(")"):
        return sum(map(n_words, tuple_type(text)[1]))
    if ":" in text:
        return 1 + 2 * array_type(text)[1]
    return 0 if text == "-" else 1


def n_result_words(text: str) -> int:
    """Return the number of words of a result: an array has one more than as an argument, for its owner."""
    if text.endswith(")"):
        return sum(map(n_result_words, tuple_type(text)[1]))
    return n_words(text) + (":" in text)


def unpacker(text: str) -> Callable[[Iterator[int], Any], Any]:
    """Return a function that makes a result of a type from its words and the kernel's arguments."""
    if text == "-":
        return lambda words, args: None
    if text.endswith(")"):
        items = [unpacker(part) for part in tuple_type(text)[1]]
        return lambda words, args: tuple(item(words, args) for item in items)
    if ":" in text:
        dtype, n_dimensions, _ = array_type(text)
        return lambda words, args: _array(np.dtype(dtype), n_dimensions, words, args)
    if text[0] == "f":
        return lambda words, args: struct.unpack("<d", struct.pack("<Q", next(words)))[0]
    if text == "b1":
        return lambda words, args: bool(next(words))
    if text[0] == "i":
        return lambda words, args: (next(words) ^ _SIGN) - _SIGN
    return lambda words, args: next(words)


def _release(block: int) -> None:
    """Give up one reference to a block of memory, and the block with the last; see `runtime.ll`."""
    with _releasing:
        references = ctypes.c_int64.from_address(block)
        references.value -= 1
        if not references.value:
            _libc.free(block)


class _Owner:
    """Memory that a kernel allocated, or that belongs to its arguments."""

    def __init__(self, block: int, args: Any, interface: dict[str, Any]) -> None:
        self._block = block
        self._args = None if block else args
        self.__array_interface__ = interface

    def __del__(self, release: Callable[[int], None] = _release) -> None:
        if self._block:
            release(self._block)


def _array(dtype: np.dtype[Any], n_dimensions: int, words: Iterator[int], args: Any) -> Any:
    block, address = next(words), next(words)
    shape = tuple(next(words) for _ in range(n_dimensions))
    strides = tuple((next(words) ^ _SIGN) - _SIGN for _ in range(n_dimensions))
    interface = {"data": (address, False), "shape": shape, "strides": strides, "typestr": dtype.str, "version": 3}
    return np.asarray(_Owner(block, args, interface))
