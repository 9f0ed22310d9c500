"""What every sequence must be, on the host."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.cpu import CPU


def symbols_of(sequence, start=0, stop=None, **options):
    """The symbols of a range."""
    stop = sequence.length if stop is None else stop
    return np.concatenate([np.zeros(0, np.uint8), *sequence.blocks(start, stop, CPU, **options)])


def bits_of(sequence, start, stop, **options):
    """The symbols of a range, by way of its packed form."""
    packed = np.concatenate([np.zeros(0, np.uint8), *sequence.bit_blocks(start, stop, CPU, **options)])
    assert len(packed) == -(-(stop - start) // 8)
    bits = np.unpackbits(packed)
    assert not bits[stop - start :].any()
    return bits[: stop - start]


def window_numbers(codes, n_symbols, order):
    """The windows of a cyclic sequence as numbers."""
    around = np.resize(codes, len(codes) + order - 1).astype(np.int32)
    numbers = np.zeros(len(codes), np.int32)
    for shift in range(order):
        numbers = numbers * np.int32(n_symbols) + around[shift : shift + len(codes)]
    return numbers


def check_de_bruijn(codes, n_symbols, order):
    """Every window is there once, that of zeros first."""
    assert len(codes) == n_symbols**order
    assert not codes[:order].any()
    assert np.bincount(window_numbers(codes, n_symbols, order), minlength=len(codes)).max() == 1
