"""Look up records in an index part by part; they and what was found go to scratch files beyond a limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens.containers import Names
from debruijn_gpu.io.fastx.reads import batch_of
from debruijn_gpu.io.querying.items import QueryItem, TextItem
from debruijn_gpu.querying.query import ColorQuery, FoundColors
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.run.spilling import SpillingArrays
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Bytes, Codes, Counts, Longs
    from debruijn_gpu.backends.protocol import ScreenBackend

_NO_NAMES = Names(np.zeros(0, np.uint8), np.zeros(0, np.int64))


@dataclass(frozen=True)
class _Records:
    """Records of a text in memory of the host, packed as in `ReadBatch`, and names in a text of their own."""

    bases: Codes
    offsets: Longs
    ambiguous_positions: Longs
    name_text: Bytes
    name_spans: Longs


@dataclass(frozen=True)
class _Stored:
    """Numbers of the arrays of `_Records`, in its order, and of the values; see `StoredRecords`."""

    records: tuple[int, ...]
    values: int


class StoredRecords:
    """Records of files, and the values of their k-mers in the parts of an index so far.

    A k-mer is in one part at most, and absent in the others: the values of all parts are the least ones.

    Parameters
    ----------
    query : ColorQuery
    has_names : bool
        Whether names of records are needed.
    run : RunOptions
    backend : ScreenBackend
    threads : int
        Texts that are worked on at the same time.
    """

    def __init__(
        self, query: ColorQuery, has_names: bool, run: RunOptions, backend: ScreenBackend, threads: int
    ) -> None:
        self._query, self._has_names, self._run, self._backend = query, has_names, run, backend
        self._threads = threads if backend.is_sequential else 1  # one thread works with a GPU

    def look_up(self, files: Iterable[tuple[str, Iterable[QueryItem]]]) -> Iterator[tuple[str, Iterable[QueryItem]]]:
        """Store the records of files, and look them up in all parts but the last one; yield them for that."""
        self._query.load(0)
        self._records, self._values = self._store(), self._store()
        with log.stage(self._name(0)):
            stored = [(path, list(self._first(items))) for path, items in files]
        for part in range(1, self._query.n_parts - 1):
            self._query.load(part)
            before, self._values = self._values, self._store()
            with log.stage(self._name(part)), closing(before):
                stored = [(path, list(self._next(items, before))) for path, items in stored]
        return ((path, (_StoredItem(self, item) for item in items)) for path, items in stored)

    def _store(self) -> SpillingArrays:
        """Make a store of arrays."""
        return SpillingArrays(int(tuning().query_share * memory_left(self._run.memory)), self._run.tmp_dir)

    def _name(self, part: int) -> str:
        """Name the stage of a part."""
        return f"look up in part {part + 1} of {self._query.n_parts}"

    def _first(self, items: Iterable[QueryItem]) -> Iterator[_Stored]:
        """Store texts, and what is found in the first part."""

        def find(item: QueryItem) -> tuple[_Records, FoundColors]:
            assert isinstance(item, TextItem)
            return self._packed(item), item.find(self._query)

        with closing(ordered_map(find, items, self._threads)) as results:
            for records, found in results:
                numbers = tuple(self._records.add(array) for array in vars(records).values())
                yield _Stored(numbers, self._values.add(found.values))

    def _next(self, items: Iterable[_Stored], before: SpillingArrays) -> Iterator[_Stored]:
        """Add what is found in a further part."""

        def find(item: _Stored) -> tuple[_Stored, FoundColors]:
            return item, self.find(item, before)

        with closing(ordered_map(find, items, self._threads)) as results:
            for item, found in results:
                yield _Stored(item.records, self._values.add(found.values))

    def find(self, item: _Stored, before: SpillingArrays | None = None) -> FoundColors:
        """Look up records in the part that is indexed, and combine what is found with what was found before."""
        batch = (self._records.read(number) for number in item.records[:3])
        found = self._query.find(ReadBatch(*map(self._backend.to_device, batch)))
        values: Counts = np.minimum(found.values, (self._values if before is None else before).read(item.values))
        return FoundColors(found.offsets, found.ambiguous_positions, values)

    def names(self, item: _Stored) -> Names:
        """Return the names of records."""
        return Names(*(self._records.read(number) for number in item.records[3:]))

    def _packed(self, item: TextItem) -> _Records:
        """Copy the records of a text, whose memory is used for the next one, to memory of the host."""
        to_host = self._backend.to_host
        batch = batch_of(item.reads)
        bases, offsets, breaks = (
            np.array(to_host(array)) for array in (batch.bases, batch.offsets, batch.ambiguous_positions)
        )
        names = _own_text(item.names()) if self._has_names else _NO_NAMES
        return _Records(bases, offsets, breaks, names.text, names.spans)


@dataclass(frozen=True)
class _StoredItem:
    """Records of a store; see `QueryItem`."""

    store: StoredRecords
    item: _Stored

    def find(self, query: ColorQuery) -> FoundColors:
        """See `QueryItem.find`."""
        return self.store.find(self.item)

    def names(self) -> Names:
        """See `QueryItem.names`."""
        return self.store.names(self.item)


def _own_text(names: Names) -> Names:
    """Copy names from a text of records to one of their own."""
    lengths = names.lengths
    ends = np.cumsum(lengths)
    places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(names.spans[::2] - (ends - lengths), lengths)
    spans = np.stack([ends - lengths, ends]).T.ravel()
    return Names(np.append(names.text[places], np.uint8(ord("\n"))), spans)
