"""Write the hits of a query as TSV, lines of JSON, or a matrix."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, TypeAlias

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.backends.core.array_types import Bytes, Longs
from debruijn_gpu.backends.screens.containers import ColorTally, Names
from debruijn_gpu.io.fastx.records import TextReads
from debruijn_gpu.run.plain_text import one_line

_COLUMNS = ("query", "sample", "kmers", "matched", "ratio")
_POSITIONS = "positions"
_ESCAPED = "backslashreplace"

#: Text of runs of positions, and where those of each hit begin
Runs: TypeAlias = "tuple[Bytes, Longs]"


@dataclass(frozen=True)
class HitFormat:
    """Format of the hits of a query.

    Attributes
    ----------
    file_format : str
        One of `querying.options.FORMATS`.
    samples : sequence of str
    has_positions : bool
        Whether positions are written.
    """

    file_format: str
    samples: Sequence[str]
    has_positions: bool

    def header(self) -> bytes:
        """Return the first line; empty for JSON."""
        names = map(one_line, self.samples)
        cells = {
            "tsv": (*_COLUMNS, *([_POSITIONS] if self.has_positions else [])),
            "matrix": ("query", "kmers", *names),
            "jsonl": (),
        }[self.file_format]
        return ("\t".join(cells) + "\n" * bool(cells)).encode(errors=_ESCAPED)

    def lines(self, names: Names, tally: ColorTally, runs: Runs | None) -> bytes | memoryview:
        """Format the hits of named records, in their order."""
        host = backends.host().screens
        if self.file_format == "matrix":
            return host.matrix_lines(names, len(self.samples), tally).data
        if self.file_format == "jsonl":
            return "".join(self._json_lines(names, tally, runs)).encode(errors=_ESCAPED)
        own = Names.of([one_line(name).encode(errors=_ESCAPED) for name in self.samples])
        return host.hit_lines(names, own, tally, runs).data

    def _json_lines(self, names: Names, tally: ColorTally, runs: Runs | None) -> Iterator[str]:
        """Yield an object for each record."""
        keys = [json.dumps(name, ensure_ascii=False) for name in self.samples]
        samples, n_matched, ptr = tally.samples.tolist(), tally.n_matched.tolist(), tally.hit_ptr.tolist()
        totals = zip(_texts(names.text, names.spans), tally.n_kmers.tolist(), tally.n_indexed.tolist(), strict=True)
        of_hits = None if runs is None else list(_texts(runs[0], np.repeat(runs[1], 2)[1:-1]))
        for row, (name, n_kmers, n_indexed) in enumerate(totals):
            hits = range(ptr[row], ptr[row + 1])
            matched = ", ".join(f"{keys[samples[i]]}: {n_matched[i]}" for i in hits)
            line = (
                f'{{"query": {json.dumps(name)}, "kmers": {n_kmers}, "indexed": {n_indexed}, "matched": {{{matched}}}'
            )
            if of_hits is not None:
                line += ', "positions": {' + ", ".join(f'{keys[samples[i]]}: "{of_hits[i]}"' for i in hits) + "}"
            yield line + "}\n"


def _texts(text: Bytes, spans: Longs) -> Iterator[str]:
    """Yield the parts of a text."""
    whole, places = text.tobytes(), spans.tolist()
    for start, stop in zip(places[::2], places[1::2], strict=True):
        yield whole[start:stop].decode(errors=_ESCAPED)


def names_of(reads: TextReads, n_before: int) -> Names:
    """Find the names of the records of a text; a record without a name has its number in the file.

    Parameters
    ----------
    reads : TextReads
        Whole records.
    n_before : int
        Records of the file before the text.
    """
    spans = backends.host().text.name_spans(reads.text, reads.parsed.starts)
    names = Names(reads.text, spans)
    if names.lengths.all():
        return names
    whole, places = reads.text.tobytes(), spans.tolist()
    found = [whole[start:stop] for start, stop in zip(places[::2], places[1::2], strict=True)]
    return Names.of([name or b"%d" % (n_before + i) for i, name in enumerate(found, 1)])


class HitWriter:
    """Writes hits, and counts the queries.

    Parameters
    ----------
    stream : BinaryIO
    hit_format : HitFormat

    Attributes
    ----------
    n_queries, n_hit, n_without_kmers : int
        Queries, those with a hit, and those without a k-mer.
    """

    def __init__(self, stream: BinaryIO, hit_format: HitFormat) -> None:
        self._stream = stream
        self.hit_format = hit_format
        self.n_queries = self.n_hit = self.n_without_kmers = 0
        self._has_header = False

    def add_header(self) -> None:
        """Write the first line, unless it is written: after the first records are read, whose errors come alone."""
        if not self._has_header:
            self._stream.write(self.hit_format.header())
        self._has_header = True

    def add(self, lines: bytes | memoryview, tally: ColorTally) -> None:
        """Write the lines of some queries."""
        self.add_header()
        self._stream.write(lines)
        self.n_queries += len(tally.n_kmers)
        self.n_hit += int(np.count_nonzero(np.diff(tally.hit_ptr)))
        self.n_without_kmers += int(np.count_nonzero(tally.n_kmers == 0))
