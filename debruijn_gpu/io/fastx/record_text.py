"""Records as text: few of them by Python, many by the CPU's backend, with the same bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.text.containers import Field, NumberField, TextField

#: Fewer records than this are formatted by Python: a run on a GPU need not import numba for them, which takes 0.4 s.
MANY_RECORDS = 1 << 13


def format_records(fields: Sequence[Field]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Format n records, the fields of a record one after another; see `RecordTextBackend.format_records`."""
    n = max(_n_records(field) for field in fields)
    if n >= MANY_RECORDS:
        return backends.host().text.format_records(fields)
    columns = [_texts(field, n) for field in fields]
    records = [b"".join(parts) for parts in zip(*columns, strict=True)]
    offsets = np.cumsum([0, *map(len, records)], dtype=np.int64)
    return offsets, np.array(bytearray(b"".join(records)), np.uint8)


def _n_records(field: Field) -> int:
    """Number of records of a field; -1 for bytes, which fit any number."""
    if isinstance(field, bytes):
        return -1
    if isinstance(field, NumberField):
        return len(field.values)
    return len(field.offsets) - 1 if field.chosen is None else len(field.chosen)


def _texts(field: Field, n: int) -> list[bytes]:
    """Text of a field in each of n records."""
    if isinstance(field, bytes):
        return [field] * n
    if isinstance(field, TextField):
        chosen = range(n) if field.chosen is None else field.chosen.tolist()
        return [field.text[field.offsets[i] : field.offsets[i + 1]].tobytes() for i in chosen]
    if field.decimals:
        return [b"%.*f" % (field.decimals, value) for value in field.values.tolist()]
    return [b"%d" % value for value in field.values.tolist()]
