"""Build look-and-say terms, and compute power sums beyond 64 bits; see `SequenceOperations`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import count_ones, load_unaligned
from debruijn_gpu.backends.sequences.containers import ReadTerm

_LOW_HALF, _LIMB_BITS = np.uint64(0xFFFFFFFF), np.uint64(32)


@kernel
def _set(j, period, weights, limbs):
    """Set item j; arguments and arrays as in `HostSequenceOperations.extend_long_sums`."""
    carry = np.uint64(0)
    for limb in range(limbs.shape[0]):
        total = carry
        for i in range(1, min(j, period) + 1):
            total += (weights[i] & _LOW_HALF) * (limbs[limb, j - i] & _LOW_HALF)
        limbs[limb, j] = total & _LOW_HALF
        carry = total >> _LIMB_BITS


@kernel
def _extend(first, stop, period, weights, limbs):
    for j in range(first, stop):
        limbs[0, 0] = j
        _set(j, period, weights, limbs)


@kernel
def _set_series(stop, period, weights, limbs):
    limbs[0, 0] = 1
    for j in range(1, stop):
        _set(j, period, weights, limbs)


def extend_long_sums(
    first: int, stop: int, period: int, weights: NDArray[np.uint64], limbs: NDArray[np.uint64]
) -> None:
    """See `HostSequenceOperations.extend_long_sums`."""
    _extend(first, stop, period, weights, limbs)


def set_long_series(stop: int, period: int, weights: NDArray[np.uint64], limbs: NDArray[np.uint64]) -> None:
    """See `HostSequenceOperations.set_long_series`."""
    _set_series(stop, period, weights, limbs)


_LOW_BITS, _TOP_BITS = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x8080808080808080)
_HALF_BITS = np.uint64(32)
_ZERO = ord("0")
_SHORT = 9  # a run that is said with two digits


@lean_kernel
def _next_run(term, at):
    """Where a run begins first at a place (at least 1) or behind it; the size of the term if none does."""
    while at < term.size and term[at] == term[at - 1]:
        at += 1
    return at


@lean_kernel
def _count_short_runs(term, start, stop):
    """Runs at start..stop, where one begins and one ends; -1 if one may be longer than is short.

    Eight places at a time are compared with those before them. Of nine or more consecutive places equal to those
    before them, four are in one half of such a word. Words end at up to seven places before the end: the last ones are
    looked at one by one, from the last word on.

    Parameters
    ----------
    term : in, uint8 (n,)
    start, stop : int64
    """
    n_runs, at = np.int64(stop > start), start + 1
    while at + 8 <= stop:
        # two digits differ in their low four bits: the sum carries no further than to the top bit of a byte
        change = (load_unaligned(term, at) ^ load_unaligned(term, at - 1)) + _LOW_BITS & _TOP_BITS
        if change & _LOW_HALF == 0 or change >> _HALF_BITS == 0:
            return -1
        n_runs += np.int64(count_ones(change))
        at += 8
    n_same = 0
    for i in range(max(at - 8, start + 1), stop):
        is_same = term[i] == term[i - 1]
        n_same = n_same + 1 if is_same else 0
        if n_same == _SHORT:
            return -1
        n_runs += i >= at and not is_same
    return n_runs


@lean_kernel
def _say_short_runs(term, start, stop, pairs):
    """Write the length and the digit of each run at start..stop. They are written anew at each digit of the run.

    Parameters
    ----------
    term : in, uint8 (n,)
    start, stop : int64
    pairs : out, uint16 (n_runs,), the length in the low byte
    """
    run, pair, before = np.int64(-1), np.int64(0), np.int64(0)
    for i in range(start, stop):
        digit = np.int64(term[np.uint64(i)])
        run += np.int64(digit != before)
        pair = (pair if digit == before else (digit << 8) + _ZERO) + 1
        pairs[np.uint64(run)] = pair
        before = digit


@lean_kernel
def _n_digits(number):
    """Decimal digits of a positive number."""
    n = 1
    while number >= 10:
        number //= 10
        n += 1
    return n


@lean_kernel
def _count_said(term, start, stop):
    """Digits that are said of the runs at start..stop, where one begins and one ends."""
    n_said, at = 0, start
    while at < stop:
        end = _next_run(term, at + 1)
        n_said += _n_digits(end - at) + 1
        at = end
    return n_said


@lean_kernel
def _say_runs(term, start, stop, said):
    """Write these digits to ``said`` (out, uint8)."""
    written, at = 0, start
    while at < stop:
        end = _next_run(term, at + 1)
        length, n_digits = end - at, _n_digits(end - at)
        for place in range(written + n_digits - 1, written - 1, -1):
            said[place] = _ZERO + length % 10
            length //= 10
        said[written + n_digits] = term[at]
        written += n_digits + 1
        at = end


def look_at_term(term: Array) -> ReadTerm:
    """See `SequenceOperations.look_at_term`."""
    n = len(term)
    cuts = [start for start, _ in threads.ranges(n)][1:]
    intervals = list(pairwise([0, *(_next_run(term, cut) for cut in cuts), n]))
    n_runs = threads.over_items(intervals, lambda interval: _count_short_runs(term, *interval))
    is_short = min(n_runs) >= 0
    if is_short:
        counts = [2 * n for n in n_runs]
    else:
        counts = threads.over_items(intervals, lambda interval: _count_said(term, *interval))
    ends = np.cumsum(counts).tolist()
    return ReadTerm(term, ends[-1], (intervals, [0, *ends], is_short))


def say_term(read: ReadTerm) -> Array:
    """See `SequenceOperations.say_term`."""
    intervals, ends, is_short = read.places
    said = np.empty(read.n_said, np.uint8)

    def write(i: int) -> None:
        part = said[ends[i] : ends[i + 1]]
        if is_short:
            _say_short_runs(read.term, *intervals[i], part.view(np.uint16))
        else:
            _say_runs(read.term, *intervals[i], part)

    threads.over_items(range(len(intervals)), write)
    return said
