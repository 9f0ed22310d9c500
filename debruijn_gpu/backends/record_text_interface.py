"""Formatting records as text on the host: all records of a block at once, field after field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class NumberField:
    """A number in each record.

    Attributes
    ----------
    values : ndarray, dtype=int64 or float64, shape=(n,)
        0 or more, finite.
    decimals : int
        Digits after the point of float64: 1 to 3, rounded as Python formats them (half to even of the exact value).
    """

    values: NDArray[np.int64] | NDArray[np.float64]
    decimals: int = 0


@dataclass(frozen=True)
class TextField:
    """A text in each record.

    Attributes
    ----------
    text : ndarray, dtype=uint8
    offsets : ndarray, dtype=int64, shape=(n_texts + 1,)
        Text i is ``text[offsets[i]:offsets[i + 1]]``.
    chosen : ndarray, dtype=int64, shape=(n,), or None
        Text of each record; None: text i of record i.
    """

    text: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    chosen: NDArray[np.int64] | None = None


#: A part of every record; bytes are the same in all of them
Field: TypeAlias = bytes | NumberField | TextField


class RecordTextBackend(Protocol):
    """A module with these names."""

    def format_records(self, fields: Sequence[Field]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Format n records, the fields of a record one after another: offsets (int64, n + 1) and text (uint8).

        At least one field is none of bytes, and those agree in n.
        """

    def leading_bases(
        self, text: NDArray[np.uint8], offsets: NDArray[np.int64], chosen: NDArray[np.int64], skip: int
    ) -> NDArray[np.uint64]:
        """Pack 32 bases (ASCII, A, C, G or T) of each chosen sequence from base ``skip`` on, as in `ReadBatch`; a
        sequence that ends before continues with its last base. Sequences of one length are in the order of these."""
