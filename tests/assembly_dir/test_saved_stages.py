"""Stages that are saved come back in arrays of any backend, and stages without checkpoints are none."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from debruijn_gpu.assembly.cleaning import CleanCounts
from debruijn_gpu.assembly.deferring import Deferred
from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.popped import PoppedBubble
from debruijn_gpu.assembly.result import KmerCounts
from debruijn_gpu.assembly.round_summary import Round, RoundKmers
from debruijn_gpu.assembly.situation import Findings
from debruijn_gpu.assembly_dir.checkpoints import Checkpoints
from debruijn_gpu.assembly_dir.identity import RunIdentity
from debruijn_gpu.assembly_dir.progress import KMERS, Progress
from debruijn_gpu.assembly_dir.saved_stages import NOT_SAVED, SavedStages
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.kmers.choose_k import KChoice
from debruijn_gpu.kmers.depth_limit import DepthLimit
from debruijn_gpu.kmers.spectrum import Spectrum, estimate
from debruijn_gpu.reads.read_statistics import ReadLengths
from debruijn_gpu.reads.trimming import Trimmed
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from tests.assembly.test_evaluation import graph_of
from tests.helpers import table_of

pytestmark = pytest.mark.cuda

RUN = RunOptions(backend="cpu", threads=2)
IDENTITY = RunIdentity("1", {"ks": [21]}, [{"role": "reads", "size": 1, "mtime_ns": 2, "digest": "x"}], ["reads.fa"])
ROUND = Round(5, 9, 8, RoundKmers(10, 7, 2, 3), CleanCounts(1, 2, 3, 4, 5, [{"tips": 1}]), Deferred(1, 2), 3, 12, 30)
POPPED = PoppedBubble(5, b"ACGTACG", 3, 9, 4, 40)
FOUND = Findings(True, True, (335, 40), 1.5)


@pytest.fixture(autouse=True)
def own_run():
    with log.new_run():
        yield


def stages(place, continues=False):
    place.mkdir(exist_ok=True)
    checkpoints = Checkpoints(place, IDENTITY, saves_all=True)
    if continues:
        checkpoints.resume()
    return SavedStages(checkpoints, continues)


def same(one, other) -> bool:
    """Compare trees of dataclasses with arrays."""
    if isinstance(one, Graph):
        return same(one.row_ptr, other.row_ptr) and same(one.col, other.col)
    if is_dataclass(one):
        return type(one) is type(other) and all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    return one == other


def counts() -> KmerCounts:
    spectrum = Spectrum(5, np.arange(1, 40), np.arange(40, 1, -1))
    lengths = ReadLengths.of([7, 9, 9])
    limit, trimmed = DepthLimit(150, None, 1, 3, "why"), Trimmed(("ACGT",), 1, 2, 3, 4)
    return KmerCounts(3, KChoice((5, 7), "why"), spectrum, estimate(spectrum), lengths, lengths, limit, trimmed)


def test_state_after_a_round_comes_back(tmp_path, backend):
    graph = graph_of(5, [(0, 2), (2, 4), (5, 1)], [3, 4, 5], circular=[1])
    state = Progress(graph.moved(backend.to_device), [ROUND], FOUND, [POPPED])
    stages(tmp_path / "out").save(state, backend)
    found = stages(tmp_path / "out", continues=True).resume(RUN, backend)
    assert same(found.graph.moved(backend.to_host), graph)
    assert (found.rounds, found.found, found.popped, found.pairs) == ([ROUND], FOUND, [POPPED], None)
    assert found.rounds[0].cleaned.by_round == [{"tips": 1}]


def test_latest_state_is_loaded(tmp_path, backend):
    graph = graph_of(5, [], [3]).moved(backend.to_device)
    for n_rounds in range(1, 12):
        stages(tmp_path / "out", continues=True).save(Progress(graph, [ROUND] * n_rounds), backend)
    assert len(stages(tmp_path / "out", continues=True).resume(RUN, backend).rounds) == 11


def test_counted_kmers_come_back_and_counting_is_left_out(tmp_path, backend):
    table = table_of({"AAACC": 2, "ACGTA": 7}, 5)

    class Counting:
        n_entered = 0

        def __enter__(self):
            self.n_entered += 1
            return table.moved(backend.to_device), "reads", counts()

        def __exit__(self, *error):
            return None

    counting = Counting()
    inputs, options = type("Inputs", (), {"n_paired": 0}), AssembleOptions(trim="off", clean=None)
    done = Progress(graph_of(5, [], [3]), [ROUND, ROUND])  # no round needs reads, and without cleaning no ends do
    for continues in (False, True):
        saved = stages(tmp_path / "out", continues)
        saved.resume(RUN, backend)
        with saved.counted(counting, done, inputs, options, RUN, backend) as (found, reads, choices):
            assert same(found.moved(backend.to_host), table)
            assert same(choices, counts())
            assert reads == (() if continues else "reads")
    assert counting.n_entered == 1


@pytest.mark.parametrize(
    ("n_rounds", "n_ks", "uses_pairs", "has_pairs", "needed"),
    [
        (0, 1, False, False, False),
        (0, 2, False, False, True),
        (1, 2, False, False, True),
        (2, 2, False, False, False),
        (2, 2, True, False, True),
        (2, 2, True, True, False),
        (0, 1, True, False, True),
    ],
)
def test_reads_are_needed_for_rounds_and_pairs(n_rounds, n_ks, uses_pairs, has_pairs, needed):
    progress = Progress(None, [ROUND] * n_rounds, pairs=object() if has_pairs else None)
    assert progress.needs_reads(n_ks, uses_pairs) == needed


def test_checkpoint_beyond_the_memory_limit(tmp_path, backend, monkeypatch):
    graph = graph_of(5, [], [3]).moved(backend.to_device)
    stages(tmp_path / "out").save(Progress(graph, [ROUND]), backend)
    monkeypatch.setattr("debruijn_gpu.assembly_dir.saved_stages.memory_left", lambda memory: 100)
    with pytest.raises(OutOfMemoryError, match="the checkpoint 001_round takes about"):
        stages(tmp_path / "out", continues=True).resume(RUN, backend)


def test_checkpoint_of_another_kind_is_refused(tmp_path, backend):
    graph = graph_of(5, [], [3]).moved(backend.to_device)
    stages(tmp_path / "out").save(Progress(graph, [ROUND]), backend)
    state = tmp_path / "out" / ".dbg"
    (state / "001_round.checkpoint").rename(state / f"{KMERS}.checkpoint")
    assert stages(tmp_path / "out", continues=True).resume(RUN, backend) == Progress()


def test_nothing_is_saved_without_checkpoints(tmp_path, backend, monkeypatch):
    monkeypatch.chdir(tmp_path)
    NOT_SAVED.save(Progress(graph_of(5, [], [3]), [ROUND]), backend)
    assert NOT_SAVED.resume(RUN, backend) == Progress()
    assert list(tmp_path.iterdir()) == []
