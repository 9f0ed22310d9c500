"""Query samples with the records of files, in an order that does not depend on blocks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from debruijn_gpu.backends.screens.containers import ColorTally, Names
from debruijn_gpu.backends.screens.protocol import MatchRule
from debruijn_gpu.io.fastx.reads import read_texts
from debruijn_gpu.io.querying.items import QueryItem, TextItem, found_before
from debruijn_gpu.io.querying.stored_records import StoredRecords
from debruijn_gpu.io.querying.writing import HitWriter
from debruijn_gpu.io.screening.references import name_of_file
from debruijn_gpu.querying.options import QueryOptions
from debruijn_gpu.querying.query import ColorQuery, FileTally
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.plain_text import one_line

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ScreenBackend

_ANY = MatchRule(1, 0)
#: Of text that a CPU takes at once: what is found of it, twice as much, stays on the heap, which larger arrays do not
_BLOCK_BYTES = 2 << 20


class QueryRun:
    """A query of files.

    Parameters
    ----------
    query : ColorQuery
    options : QueryOptions
    writer : HitWriter
    run : RunOptions
    backend : ScreenBackend
    threads : int
        Texts that are worked on at the same time.
    """

    def __init__(
        self,
        query: ColorQuery,
        options: QueryOptions,
        writer: HitWriter,
        run: RunOptions,
        backend: ScreenBackend,
        threads: int,
    ) -> None:
        self._query, self._options, self._writer = query, options, writer
        self._run, self._backend, self._threads = run, backend, threads

    def query_files(self, paths: Sequence[str]) -> None:
        """Query the samples with each record, or each file, and write the hits.

        Where the index does not fit into memory, the records are stored, and looked up in one part of it after another.
        """
        files: Iterable[tuple[str, Iterable[QueryItem]]] = ((path, self._texts(path)) for path in paths)
        n_parts = self._query.n_parts
        if n_parts > 1:
            stored = StoredRecords(self._query, not self._options.per_file, self._run, self._backend, self._threads)
            files = stored.look_up(files)
        self._query.load(n_parts - 1)
        with log.stage("query", unit="records") as stage:
            for path, items in files:
                n_before = stage.items or 0
                for n_records in self._records(items) if not self._options.per_file else self._whole_file(path, items):
                    stage.items = n_before + n_records
        self._writer.add_header()

    def _records(self, items: Iterable[QueryItem]) -> Iterator[int]:
        """Query with each record of a file; yield the number of records so far."""

        def finish(item: QueryItem) -> tuple[bytes | memoryview, ColorTally]:
            found = item.find(self._query)
            tally = self._query.tally(found, self._options.rule)
            runs = self._query.runs(found, tally) if self._options.positions else None
            with log.cpu_time("format"):
                return self._writer.hit_format.lines(item.names(), tally, runs), tally

        n = 0
        with closing(ordered_map(finish, self._on_the_way(items), self._threads)) as results:
            for lines, tally in results:
                with log.cpu_time("write"):
                    self._writer.add(lines, tally)
                n += len(tally.n_kmers)
                yield n

    def _whole_file(self, path: str, items: Iterable[QueryItem]) -> Iterator[int]:
        """Query with all records of a file as one; yield the number of records so far."""

        def finish(item: QueryItem) -> ColorTally:
            return self._query.tally(item.find(self._query), _ANY)

        whole, n = FileTally(len(self._query.names)), 0
        with closing(ordered_map(finish, self._on_the_way(items), self._threads)) as results:
            for tally in results:
                whole.add(tally)
                n += len(tally.n_kmers)
                yield n
        total = whole.total(self._options.rule)
        name = Names.of([one_line(name_of_file(path)).encode(errors="backslashreplace")])
        self._writer.add(self._writer.hit_format.lines(name, total, None), total)

    def _on_the_way(self, items: Iterable[QueryItem]) -> Iterator[QueryItem]:
        """Yield items; a GPU looks their k-mers up before, in their order."""
        return iter(items) if self._backend.is_sequential else found_before(items, self._query)

    def _texts(self, path: str) -> Iterator[QueryItem]:
        """Yield the texts of a file."""
        n_before = 0
        block_bytes = _BLOCK_BYTES if self._backend.is_sequential else 0
        texts = read_texts(ReadInputs(single=(path,)), self._backend, block_bytes, self._run.threads, self._run.memory)
        with closing(texts):
            for reads, _mates in texts:
                yield TextItem(reads, n_before)
                n_before += reads.n_reads


def expected_bytes(paths: Sequence[str]) -> int:
    """Estimate the number of bases of files from their sizes; a pipe counts 0."""
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path))
