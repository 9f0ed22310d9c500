"""Reads of one length as FASTQ, a whole block at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def padded_names(names: Sequence[str]) -> NDArray[np.uint8]:
    """Names as rows of UTF-8, filled up with 0."""
    encoded = np.array([name.encode() for name in names], dtype=np.bytes_)
    return encoded.view(np.uint8).reshape(len(names), -1)


def fastq_text(
    names: NDArray[np.uint8],
    first_number: int,
    n_digits: int,
    suffix: bytes,
    bases: NDArray[np.uint8],
    qualities: NDArray[np.uint8],
) -> NDArray[np.uint8]:
    """Records named ``<name>_<number><suffix>``, one a row; what is 0 in a row is no part of it.

    Parameters
    ----------
    names : ndarray, dtype=uint8, shape=(n, width)
        Name of each read, filled up with 0.
    first_number, n_digits : int
        The reads are numbered from the first; the largest number has so many digits.
    suffix : bytes
        What follows the number.
    bases, qualities : ndarray, dtype=uint8, shape=(n, length)
        ASCII.
    """
    n = len(names)
    columns = (
        _constant(b"@", n),
        names,
        _constant(b"_", n),
        _decimal(np.arange(first_number, first_number + n), n_digits),
        _constant(suffix + b"\n", n),
        bases,
        _constant(b"\n+\n", n),
        qualities,
        _constant(b"\n", n),
    )
    return np.concatenate(columns, axis=1)


def _constant(text: bytes, n: int) -> NDArray[np.uint8]:
    return np.broadcast_to(np.frombuffer(text, dtype=np.uint8), (n, len(text)))


def _decimal(numbers: NDArray[np.int64], n_digits: int) -> NDArray[np.uint8]:
    """Decimal digits, leading zeros as 0 bytes."""
    powers = 10 ** np.arange(n_digits - 1, -1, -1)
    digits = (numbers[:, None] // powers % 10 + ord("0")).astype(np.uint8)
    digits[numbers[:, None] < powers] = 0
    return digits
