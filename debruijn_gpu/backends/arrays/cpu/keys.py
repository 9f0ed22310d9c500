"""Convert numbers to unsigned keys in the same order.

Kernels are then compiled for 32 and 64 bits only, and serve all dtypes.

The bits of an unsigned integer are its key. Those of a signed one have the sign flipped, those of a float the sign
flipped if it is positive and all bits if it is negative; -0.0 is taken for 0.0 first, and each NaN for the one NaN
with the greatest key.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.cpu.decorators import kernel

_ONES = 0xFFFFFFFFFFFFFFFF


class Form(NamedTuple):
    """Masks that turn the bits of a dtype into keys; all uint64.

    Attributes
    ----------
    magnitude : mask of the bits that are 0 in zero and above ``infinity`` in NaN
    infinity : the greatest magnitude that is a number
    nan : bits of the one NaN
    flipped : mask of the bits that are flipped in negative numbers
    sign : mask of the bits that are flipped in all numbers
    sign_at : number of the highest bit
    """

    magnitude: np.uint64
    infinity: np.uint64
    nan: np.uint64
    flipped: np.uint64
    sign: np.uint64
    sign_at: np.uint64


def _form(dtype: np.dtype[Any]) -> Form:
    n_bits = 8 * dtype.itemsize
    ones, sign = _ONES >> (64 - n_bits), 1 << (n_bits - 1)
    words = (ones, ones, 0, 0, 0 if dtype.kind == "u" else sign, n_bits - 1)
    if dtype.kind == "f":
        infinity, nan = (int(np.array(x, dtype).view(f"u{dtype.itemsize}")) for x in (np.inf, np.nan))
        words = (ones ^ sign, infinity, nan, ones ^ sign, sign, n_bits - 1)
    return Form(*map(np.uint64, words))


_FORMS = {np.dtype(name): _form(np.dtype(name)) for name in ("u4", "i4", "u8", "i8", "f4", "f8")}
#: of keys themselves
PLAIN = _FORMS[np.dtype(np.uint64)]


def form_of(array: NDArray[Any]) -> Form:
    """The form of an array's dtype; TypeError if it is none of the six."""
    try:
        return _FORMS[array.dtype]
    except KeyError:
        raise TypeError(f"32 or 64 bits a number are needed, not {array.dtype}") from None


def bits_of(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view as uint32 or uint64; the memory must be contiguous."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


@kernel
def to_key(bits, form):
    """Key (uint64) of the bits of one number."""
    bits = np.uint64(bits)
    magnitude = bits & form.magnitude
    if magnitude == np.uint64(0):
        bits = np.uint64(0)
    if magnitude > form.infinity:
        bits = form.nan
    return bits ^ ((np.uint64(0) - (bits >> form.sign_at)) & form.flipped) ^ form.sign


@kernel
def from_key(key, form):
    """Bits of the number with this key."""
    bits = np.uint64(key) ^ form.sign
    return bits ^ ((np.uint64(0) - (bits >> form.sign_at)) & form.flipped)


@kernel
def key_range(bits, form):
    """Least and greatest key of an array that is not empty."""
    low = high = to_key(bits[0], form)
    for i in range(bits.size):
        key = to_key(bits[i], form)
        low = min(low, key)
        high = max(high, key)
    return low, high


@kernel
def ascends(bits, form):
    """Whether the keys ascend."""
    for i in range(bits.size - 1):  # noqa: SIM110 (numba compiles no generators)
        if to_key(bits[i], form) > to_key(bits[i + 1], form):
            return False
    return True


@kernel
def convert(bits, form, back, out):
    """Write numbers of one form as those (out, as bits) of another."""
    for i in range(bits.size):
        out[i] = from_key(to_key(bits[i], form), back)
