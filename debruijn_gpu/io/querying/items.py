"""Records of a query, some at a time: of a text, or of a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from debruijn_gpu.backends.screens.containers import Names
from debruijn_gpu.io.fastx.reads import batch_of
from debruijn_gpu.io.fastx.records import TextReads
from debruijn_gpu.io.querying.writing import names_of
from debruijn_gpu.querying.query import ColorQuery, FoundColors


class QueryItem(Protocol):
    """Some records of a file. Both methods are called once, by any thread."""

    def find(self, query: ColorQuery) -> FoundColors:
        """Look up the k-mers."""

    def names(self) -> Names:
        """Return the names of the records."""


@dataclass(frozen=True)
class TextItem:
    """The records of a text.

    Attributes
    ----------
    reads : TextReads
    n_before : int
        Records of the file before the text.
    """

    reads: TextReads
    n_before: int

    def find(self, query: ColorQuery) -> FoundColors:
        """See `QueryItem.find`."""
        return query.find(batch_of(self.reads))

    def names(self) -> Names:
        """See `QueryItem.names`."""
        return names_of(self.reads, self.n_before)


@dataclass(frozen=True)
class _FoundItem:
    """Records whose k-mers are looked up already."""

    item: QueryItem
    found: FoundColors

    def find(self, query: ColorQuery) -> FoundColors:
        """See `QueryItem.find`."""
        return self.found

    def names(self) -> Names:
        """See `QueryItem.names`."""
        return self.item.names()


def found_before(items: Iterable[QueryItem], query: ColorQuery) -> Iterator[QueryItem]:
    """Yield items whose k-mers the caller's thread looks up as it draws them."""
    for item in items:
        yield _FoundItem(item, item.find(query))
