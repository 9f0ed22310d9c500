"""K-mers that are saved in parts come back in a table or in partitions, whatever they were in."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.kmers.partitions import KmerPartitions
from debruijn_gpu.kmers.saved_kmers import SavedKmers, load_kmers, parts_of
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run.options import RunOptions
from tests.helpers import first_quick, random_sequence, table_of
from tests.kmers.test_partitions import as_dict, expected_in
from tests.naive import kmers as naive

RUN = RunOptions(threads=2)


def some_kmers(k: int) -> dict[str, int]:
    rng = np.random.default_rng(k)
    return dict(naive.count([random_sequence(rng, k + (12 if is_simulated() else 90))], k))


def held_in(n_partitions: int, table: KmerTable, backend):
    if not n_partitions:
        return table
    partitions = KmerPartitions(table.k, n_partitions, RUN, backend)
    partitions.add(table.codes, table.counts)
    return partitions


def check(found, counts, n, backend):
    """The k-mers of a table, ascending, or of each partition."""
    if not n:
        assert as_dict(found, backend) == counts
        assert list(as_dict(found, backend)) == sorted(counts)
        return
    assert (found.n_partitions, len(found)) == (n, len(counts))
    for i in range(n):
        assert as_dict(found.load(i), backend) == expected_in(counts, found.k, i, n, backend)


@pytest.mark.cuda
@pytest.mark.parametrize("k", first_quick([33, 21, 65]))
@pytest.mark.parametrize("share", [0.0, 0.25])
@pytest.mark.parametrize("n_before", [0, 1, 3])
@pytest.mark.parametrize("n_after", [0, 2, 3])
def test_kmers_come_back_with_more_and_less_memory(backend, k, share, n_before, n_after, tune):
    tune(partitions_share=share, partitioned_kmers=7, held_kmers_at_once=5)
    counts = some_kmers(k)
    kmers = held_in(n_before, table_of(counts, k).moved(backend.to_device), backend)
    saved, parts = SavedKmers.of(kmers), list(parts_of(kmers, backend))
    assert saved == SavedKmers(k, len(counts), n_before == 0)
    assert sum(len(part[1]) for part in parts) == len(counts)
    check(load_kmers(saved, parts, n_after, RUN, backend), counts, n_after, backend)


@pytest.mark.cuda
def test_filtered_kmers_are_not_saved(backend):
    counts = {"AAACC": 1, "ACGTA": 7}
    kmers = held_in(3, table_of(counts, 5).moved(backend.to_device), backend)
    kmers.keep(2, 1)
    found = load_kmers(SavedKmers.of(kmers), parts_of(kmers, backend), 0, RUN, backend)
    assert as_dict(found, backend) == {"ACGTA": 7}


@pytest.mark.parametrize("n_partitions", [0, 3])
@pytest.mark.parametrize("ascend", [False, True])
@pytest.mark.parametrize("damage", ["more", "fewer", "other words", "other counts"])
def test_parts_that_are_not_those_described(backend, n_partitions, ascend, damage):
    counts = some_kmers(21)
    table = table_of(counts, 21)
    parts = list(parts_of(table, backend))
    wrong = {
        "more": [*parts, parts[0]],
        "fewer": [],
        "other words": [[np.concatenate([codes, codes]), n] for codes, n in parts],
        "other counts": [[codes, n.astype(np.int64)] for codes, n in parts],
    }[damage]
    with pytest.raises(ValueError, match=r"not of k-mers|expected 91 k-mers, got 0"):
        load_kmers(SavedKmers(21, len(counts), ascend), wrong, n_partitions, RUN, backend)
