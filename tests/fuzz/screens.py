"""Screening of files of reads, whose records are written again, and saved indexes of references."""

from __future__ import annotations

import functools
import io
import random
from contextlib import closing
from pathlib import Path

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.io.fastx.reads import read_texts
from debruijn_gpu.io.screening.index_files import read_index, write_index
from debruijn_gpu.io.screening.screening import screen_reads
from debruijn_gpu.io.screening.writing import RecordStream, ScreenWriter
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.screening.options import ENDS, KEPT, ScreenOptions
from debruijn_gpu.screening.screener import Screener
from debruijn_gpu.screening.sequences import ReferencePart, ReferenceSequences, concatenate_parts
from tests.fuzz import seeds
from tests.fuzz.judges import same_in_blocks
from tests.helpers import batch_of

K = 21
MEMORY = "256M"
RUN = RunOptions(threads=1, memory=MEMORY, backend="cpu")


def _sequences() -> ReferenceSequences:
    """Two references."""
    parts = [ReferencePart(batch_of([seeds.genome()[:400], seeds.genome()[300:700]]), np.arange(2))]
    return concatenate_parts(["one", "two"], parts, K)


@functools.cache
def _screener(min_hits: str) -> Screener:
    return Screener(_sequences(), ScreenOptions(min_hits=min_hits).rule, RUN, backends.load(RUN))


def _options(rng: random.Random) -> ScreenOptions:
    more = rng.choice(({}, {}, {"mask": True}, {"trim": True, "ends": rng.choice(list(ENDS))}))
    if "trim" in more:
        more["min_length"] = rng.choice((0, 1, 20))
    return ScreenOptions(min_hits=rng.choice(("0.5", "1")), keep=rng.choice((*KEPT, "all")), **more)


def screened(path: Path, rng: random.Random) -> bytes:
    """Screen reads; the records do not depend on blocks, and those that are written unchanged are the same reads."""
    options = _options(rng)

    def screen(source: Path, block_bytes: int) -> bytes:
        stream = io.BytesIO()
        writer = ScreenWriter(options, RecordStream(stream, "-"), None)
        texts = read_texts(ReadInputs(single=(str(source),)), backends.load(RUN), block_bytes, 1, MEMORY)
        with closing(texts):
            screen_reads(texts, _screener(options.min_hits), options, writer, 1, True)
        return stream.getvalue()

    found: bytes = same_in_blocks(path, lambda n: screen(path, n), rng.choice((200, 900, 4000)), 1 << 16)
    if found and options.keep == "all" and not options.trim:
        again = path.with_name("again")
        again.write_bytes(found)
        assert screen(again, 1 << 16) == found
    return found


def indexes() -> list[bytes]:
    """Saved indexes."""
    stream = io.BytesIO()
    write_index(stream, _sequences())
    return [stream.getvalue()]


def index(path: Path, _rng: random.Random) -> int:
    """Read an index, and screen its own references with it."""
    sequences = read_index(str(path), 1 << 26)
    if sequences.k > 64 or sequences.n_bases > 1 << 16:
        return 0
    screener = Screener(sequences, ScreenOptions().rule, RUN, backends.load(RUN))
    batch = batch_of([seeds.genome()[:500]])
    return int(screener.judge(screener.find(batch)).tally.n_matched[0])
