"""Inputs that collide in hash tables of a known seed: slow with it, fast with any other, and the same results."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from debruijn_gpu.backends.arrays.cpu.few_values import count_few
from debruijn_gpu.backends.kmers.cpu.counting import count_buckets
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.text.containers import RowFormat
from debruijn_gpu.backends.text.cpu.graph_names import name_table
from debruijn_gpu.backends.text.cpu.graph_parsing import parse_name_rows
from debruijn_gpu.backends.unitigs.cpu.anchors import index_anchors, place_anchors
from debruijn_gpu.backends.unitigs.cpu.overlaps import kmer_graph
from debruijn_gpu.backends.unitigs.cpu.placement import index_kmers
from debruijn_gpu.run.hash_seed import use_hash_seed
from tests.helpers import batch_of
from tests.naive import collisions
from tests.naive.collisions import KNOWN_SEED, spell

N = 20_000
K = 31
OTHER_SEEDS = (0x5851F42D4C957F2D, 0x2545F4914F6CDD1D)
#: Least ratio of the CPU seconds of tables with collisions to those without: it is 30 to 100
SLOWER = 4


colliding_kmers = functools.cache(collisions.colliding_kmers)
colliding_names = functools.cache(collisions.colliding_names)
colliding_numbers = functools.cache(collisions.colliding_numbers)


def _count() -> Any:
    """Records of one k-mer each, all of them in one bucket; see `SuperKmers`."""
    codes = colliding_kmers(N, K) << np.uint64(64 - 2 * K)
    words = np.stack((codes >> np.uint64(8), codes << np.uint64(56)), axis=1).ravel()
    counted = count_buckets(words, np.array([[0, 2 * N]]), K, True, 1)
    return np.sort(counted.codes[0]).tobytes(), counted.counts.tobytes()


def _graph() -> Any:
    codes = np.sort(colliding_kmers(N, K - 1, low_bits=20) << np.uint64(2))
    return [array.tobytes() for array in kmer_graph(codes[None], K)]


@functools.cache
def _sequences() -> ReadBatch:
    return batch_of(spell(colliding_kmers(N, K), K))


def _index() -> Any:
    batch = _sequences()
    return np.count_nonzero(index_kmers(batch.offsets, batch.bases, K))


def _anchors() -> Any:
    batch = _sequences()
    slots = index_anchors(batch.offsets, batch.bases, K)
    return place_anchors(batch, K, batch.offsets, batch.bases, slots).tobytes()


def _names() -> Any:
    text = colliding_names(N)
    rows = parse_name_rows(np.frombuffer(text, np.uint8), RowFormat("blank", 1))
    table = name_table()
    return table.add(np.frombuffer(text, np.uint8), rows.starts, rows.ends, rows.hashes).tobytes()


def _few() -> Any:
    values = np.resize(colliding_numbers(1400), 100 * N)
    found = count_few(values)
    assert found is not None
    return [array.tobytes() for array in found]


def seconds(work: Callable[[], Any], seed: int) -> tuple[float, Any]:
    """CPU seconds, the least of two runs, and the result."""
    with use_hash_seed(seed):
        work()  # kernels are compiled or loaded
        took = []
        for _ in range(2):
            start = time.process_time()
            result = work()
            took.append(time.process_time() - start)
    return min(took), result


@pytest.mark.slow
@pytest.mark.parametrize("work", [_count, _graph, _index, _anchors, _names, _few])
def test_collisions_cannot_be_chosen_for_an_unknown_seed(work):
    attacked, result = seconds(work, KNOWN_SEED)
    for seed in OTHER_SEEDS:
        took, other = seconds(work, seed)
        assert other == result
        assert SLOWER * took < attacked, f"{took:.4f} s, and {attacked:.4f} s with the seed that is attacked"
