"""Records as text: few of them by Python, many by the CPU's backend, with the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.text.containers import Field, NumberField, TextField
from debruijn_gpu.run.tuning import tuning

_BLOCK_BYTES = 1 << 22  # of records that are formatted at once; a larger record is formatted alone


def format_records(fields: Sequence[Field]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Format n records, the fields of a record one after another; see `RecordTextBackend.format_records`."""
    n = max(_n_records(field) for field in fields)
    if n >= tuning().many_records:
        return backends.host().text.format_records(fields)
    columns = [_texts(field, n) for field in fields]
    records = list(zip(*columns, strict=True))
    offsets = np.cumsum([0, *(sum(map(len, parts)) for parts in records)], dtype=np.int64)
    return offsets, np.frombuffer(bytearray().join(chain.from_iterable(records)), np.uint8)


def split_records(offsets: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Split records into blocks of bounded size.

    Parameters
    ----------
    offsets : ndarray, dtype=int64, shape=(n_records + 1,)
        Where each record begins, in bytes.

    Yields
    ------
    start, stop : int
        Records start to stop - 1 are a block.
    """
    start, n_records = 0, len(offsets) - 1
    while start < n_records:
        within = int(np.searchsorted(offsets, offsets[start] + _BLOCK_BYTES, "right")) - 1
        stop = min(n_records, start + tuning().block_records, max(within, start + 1))
        yield start, stop
        start = stop


def choice_field(texts: Sequence[bytes], chosen: NDArray[np.int64] | None = None) -> TextField:
    """Field with one of some texts in each record; without a choice, text i in record i."""
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return TextField(np.frombuffer(bytearray().join(texts), np.uint8), offsets, chosen)


def _n_records(field: Field) -> int:
    """Number of records of a field; -1 for bytes, which fit any number."""
    if isinstance(field, bytes):
        return -1
    if isinstance(field, NumberField):
        return len(field.values)
    return len(field.offsets) - 1 if field.chosen is None else len(field.chosen)


def _texts(field: Field, n: int) -> Sequence[bytes | memoryview]:
    """Return the text of a field in each of n records, without copies of long ones."""
    if isinstance(field, bytes):
        return [field] * n
    if isinstance(field, TextField):
        text, offsets = field.text.data, field.offsets.tolist()
        chosen = range(n) if field.chosen is None else field.chosen.tolist()
        return [text[offsets[i] : offsets[i + 1]] for i in chosen]
    if field.decimals:
        return [b"%.*f" % (field.decimals, value) for value in field.values.tolist()]
    return [b"%d" % value for value in field.values.tolist()]
