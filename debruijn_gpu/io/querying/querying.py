"""Query samples with the records of files, in an order that does not depend on blocks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from debruijn_gpu.backends.screens.containers import ColorTally, Names
from debruijn_gpu.backends.screens.protocol import MatchRule
from debruijn_gpu.io.fastx.reads import batch_of, read_texts
from debruijn_gpu.io.fastx.records import TextReads
from debruijn_gpu.io.querying.writing import HitWriter, names_of
from debruijn_gpu.io.screening.references import name_of_file
from debruijn_gpu.querying.options import QueryOptions
from debruijn_gpu.querying.query import ColorQuery, FileTally, FoundColors
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.plain_text import one_line

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ScreenBackend

#: A text, the records of the file before it, and what a GPU found in it
_Item = tuple[TextReads, int, FoundColors | None]
_ANY = MatchRule(1, 0)


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
        """Query the samples with each record, or each file, and write the hits."""
        with log.stage("query", unit="records") as stage:
            for path in paths:
                n_before = stage.items or 0
                for n_records in self._file_of_records(path) if not self._options.per_file else self._whole_file(path):
                    stage.items = n_before + n_records
        self._writer.add_header()

    def _file_of_records(self, path: str) -> Iterator[int]:
        """Query with each record of a file; yield the number of records so far."""

        def finish(item: _Item) -> tuple[bytes | memoryview, ColorTally]:
            reads, n_before, found = item
            found = self._query.find(batch_of(reads)) if found is None else found
            tally = self._query.tally(found, self._options.rule)
            runs = self._query.runs(found, tally) if self._options.positions else None
            with log.cpu_time("format"):
                return self._writer.hit_format.lines(names_of(reads, n_before), tally, runs), tally

        n = 0
        with closing(ordered_map(finish, self._items(path), self._threads)) as results:
            for lines, tally in results:
                with log.cpu_time("write"):
                    self._writer.add(lines, tally)
                n += len(tally.n_kmers)
                yield n

    def _whole_file(self, path: str) -> Iterator[int]:
        """Query with all records of a file as one; yield the number of records so far."""

        def finish(item: _Item) -> ColorTally:
            reads, _n_before, found = item
            return self._query.tally(self._query.find(batch_of(reads)) if found is None else found, _ANY)

        whole, n = FileTally(len(self._query.names)), 0
        with closing(ordered_map(finish, self._items(path), self._threads)) as results:
            for tally in results:
                whole.add(tally)
                n += len(tally.n_kmers)
                yield n
        total = whole.total(self._options.rule)
        name = Names.of([one_line(name_of_file(path)).encode(errors="backslashreplace")])
        self._writer.add(self._writer.hit_format.lines(name, total, None), total)

    def _items(self, path: str) -> Iterator[_Item]:
        """Yield the texts of a file; a GPU looks their k-mers up on the way, in their order."""
        n_before = 0
        texts = read_texts(
            ReadInputs(single=(path,)), self._backend, threads=self._run.threads, memory=self._run.memory
        )
        with closing(texts):
            for reads, _mates in texts:
                yield reads, n_before, None if self._backend.is_sequential else self._query.find(batch_of(reads))
                n_before += reads.n_reads


def expected_bytes(paths: Sequence[str]) -> int:
    """Estimate the number of bases of files from their sizes; a pipe counts 0."""
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path))
