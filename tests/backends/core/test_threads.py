"""Small inputs stay in the calling thread, whatever the number of threads."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.backends.core import detection
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.peptides.spectrum import Peptide
from debruijn_gpu.peptides.theoretical import make_ladder
from debruijn_gpu.run.parallel import end_idle_threads, ordered_map
from debruijn_gpu.run.tuning import Tuning, tuned
from tests.helpers import batch_of

LEAST_WORK = Tuning().least_work
FOLDER = Path(backends.__file__).parent
THREADS = 16


class Handovers:
    """Counts the work that is handed to other threads, and notes the modules that offer work to the pool."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.n = 0
        self.modules: set[str] = set()
        submit, over_items = ThreadPoolExecutor.submit, threads.over_items

        def counting(*args, **options):
            self.n += 1
            return submit(*args, **options)

        def noting(*args):
            frame = sys._getframe(1)
            while Path(frame.f_code.co_filename) == Path(threads.__file__):
                frame = frame.f_back
            self.modules.add(os.path.relpath(frame.f_code.co_filename, FOLDER))
            return over_items(*args)

        monkeypatch.setattr(ThreadPoolExecutor, "submit", counting)
        monkeypatch.setattr(threads, "over_items", noting)
        monkeypatch.setattr("debruijn_gpu.cli.common.allowed_cpus", lambda: THREADS)
        monkeypatch.setattr(detection, "cuda_problems", lambda: ["the CPU is to be tested"])


@pytest.fixture
def handovers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Handovers]:
    end_idle_threads()
    before = threads.n_threads()
    with tuned(least_work=LEAST_WORK):
        yield Handovers(monkeypatch)
    threads.configure(before)


#: Commands that pass through every module that offers work to the pool; those in capitals are small files.
COMMANDS = [
    "sort ODD_NUMBERS --key 2,1",
    "sort NUMBERS --fields 1 --reverse",
    "distinct NUMBERS --count",
    "compact NUMBERS --where >5",
    "histogram NUMBERS",
    "histogram NUMBERS --integers",
    "join NUMBERS NUMBERS --key 1,2",
    "count READS -k 21",
    "unitigs READS -k 21 --min-count 1",
    "screen READS --against READS -k 21",
    "bin CONTIGS --min-length 500 --min-bin 0",
    "som NUMBERS --map 4x4 --epochs 1",
    "assemble READS -k 21,31 --min-contig 0",
    "euler GRAPH --verify",
    "euler PATHS --trails",
    "graph GRAPH --json",
    "graph GRAPH --components weak",
    "graph GRAPH --pagerank",
    "generate random -n 100",
    "generate eulerian -n 100",
    "generate cactus -n 100",
    "generate debruijn -n 3",
    "debruijn -n 6",
    "debruijn -n 6 --alphabet ACGT --format 2bit -o OUTPUT",
    "debruijn -n 6 --alphabet ACGT --format checksum",
    "debruijn verify SEQUENCE",
    "debruijn -n 4 --method euler",
    "debruijn -n 7 --method lfsr",
    "debruijn -n 3 --method lfsr --alphabet 9",
    "debruijn -n 3 --method crt --alphabet 6",
    "lookandsay 1 -n 12",
    "cyclospec AYDCKPMQE",
    "cyclospec sequence SPECTRUM --method leaderboard",
]


def offering_modules() -> set[str]:
    """The modules of the backend that offer work to the pool."""
    calls = re.compile(r"over_(ranges|items)\(")
    found = {str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/cpu/*.py") if calls.search(path.read_text())}
    return found - {"core/cpu/threads.py"}


def write_files(folder: Path) -> dict[str, Path]:
    rng = np.random.default_rng(1)
    files = {
        name: folder / name.lower()
        for name in ("NUMBERS", "ODD_NUMBERS", "READS", "GRAPH", "PATHS", "SPECTRUM", "SEQUENCE", "OUTPUT", "CONTIGS")
    }
    files["NUMBERS"].write_text("".join(f"{a} {b}\n" for a, b in rng.integers(0, 50, (100, 2))))
    files["ODD_NUMBERS"].write_text("".join(f"{a:03} {b}\n" for a, b in rng.integers(0, 50, (100, 2))))
    files["READS"].write_text("".join(f">{i}\n{''.join(rng.choice(list('ACGT'), 50))}\n" for i in range(100)))
    files["CONTIGS"].write_text("".join(f">{i}\n{''.join(rng.choice(list('ACGT'), 600))}\n" for i in range(3)))
    files["GRAPH"].write_text("".join(f"{i} -> {(i + 1) % 100}, {(i + 7) % 100}\n" for i in range(100)))
    files["PATHS"].write_text("".join(f"{i} -> {i + 1}, {i + 7}\n" for i in range(100)))
    files["SPECTRUM"].write_text("0 71 99 101 103 128 129 199 200 204 227 230 231 298 303 328 330 332 333")
    files["SEQUENCE"].write_text("0000100110101111")
    return files


def test_commands_keep_small_inputs_in_their_thread(dbg, handovers: Handovers, tmp_path: Path) -> None:
    files = write_files(tmp_path)
    for command in COMMANDS:
        code, _out, err = dbg(*(files.get(word, word) for word in command.split()), "-t", THREADS)
        assert (command, code, handovers.n) == (command, 0, 0), err
    words = np.arange(100, dtype=np.uint32)
    CPU.arrays.split_by_bit(words, 3)
    CPU.arrays.transpose(words.reshape(20, 5))
    for order, call in enumerate(
        (CPU.sequences.quotients, CPU.sequences.remainders, CPU.sequences.extend_words, CPU.sequences.digit_sums)
    ):
        call(words, 2 + order)
    CPU.sequences.least_rotations(words, 2, 8)
    reads = batch_of(["ACGT" * 20] * 3)
    CPU.reads.short_inserts(reads, np.arange(3), reads, np.arange(3))
    CPU.reads.adapter_starts(reads, 0x1B, 4, 4)
    CPU.unitigs.index_anchors(reads.offsets, reads.bases, 31)
    CPU.spectra.correlate_masses(make_ladder(Peptide(np.array([3, 5, 9])), CPU))
    CPU.kmers.end_partitions(words.astype(np.uint64)[None], 21, 4)
    CPU.unitigs.least_kmers(reads.bases, 21, np.arange(3), np.arange(1, 4))
    assert handovers.n == 0
    assert offering_modules() == handovers.modules


def test_large_inputs_are_shared_out(handovers: Handovers) -> None:
    threads.configure(THREADS)
    seen = threads.over_ranges(3 * LEAST_WORK - 1, lambda start, stop: (start, stop))
    assert len(seen) == handovers.n == 2
    assert (seen[0][0], seen[-1][1]) == (0, 3 * LEAST_WORK - 1)
    threads.over_ranges(3, lambda start, stop: None, work=100 * LEAST_WORK)
    assert handovers.n == 5  # few items of much work
    threads.over_ranges(100 * LEAST_WORK, lambda start, stop: None, 1, work=LEAST_WORK)
    threads.over_ranges(0, lambda start, stop: None)
    assert handovers.n == 5


@pytest.mark.parametrize("items", [[], [7], iter([7])])
def test_a_single_item_stays_in_its_thread(handovers: Handovers, items: Iterable[int]) -> None:
    here = threading.get_ident()
    assert list(ordered_map(lambda item: (item, threading.get_ident()), items, THREADS)) in ([], [(7, here)])
    assert handovers.n == 0


def test_contexts_have_threads_of_their_own() -> None:
    """Two runs in one process do not change each other's number of threads."""

    def configured(n: int) -> int:
        threads.configure(n)
        return len(threads.ranges(1 << 30, 1))

    before = threads.n_threads()
    contexts = copy_context(), copy_context()
    assert [context.run(configured, n) for context, n in zip(contexts, (2, 5), strict=True)] == [2, 5]
    assert [context.run(threads.n_threads) for context in contexts] == [2, 5]
    assert threads.n_threads() == before
