"""Stores of k-mers and of reads in any order of operations, on each backend, against dictionaries and lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, multiple, rule, run_state_machine_as_test

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuning
from tests.helpers import batch_of, kmers_of, n_examples
from tests.naive import stores as naive

pytestmark = pytest.mark.cuda

RUN = RunOptions(threads=2)
KS = (1, 2, 3, 5, 31, 32, 33)
STEPS = settings(
    deadline=None, max_examples=4 if is_simulated() else n_examples(40), stateful_step_count=6 if is_simulated() else 20
)
#: Some that have 31-mers and longer ones, which occur in other reads as well
READS = st.text("ACGTN", max_size=12) | st.integers(0, 9).map(lambda i: ("ACGTTGCATG" * 5)[i : i + 36])
BATCHES = st.lists(st.lists(READS, max_size=2 if is_simulated() else 4), max_size=3)


def batches_on(backend, batches):
    return [batch_of(reads).moved(backend.to_device) for reads in batches]


class Stores(RuleBasedStateMachine):
    """What both kinds of stores need: a backend, and stores that are closed at the end."""

    backend = None

    def __init__(self) -> None:
        super().__init__()
        self.open = []

    def teardown(self) -> None:
        for store in self.open:
            store.close()


class KmerStores(Stores):
    """Several stores that are filled, counted in parts and concatenated, while others are open."""

    empty = Bundle("empty")
    filled = Bundle("filled")
    counted = Bundle("counted")

    @rule(target=empty, k=st.sampled_from(KS), canonical=st.booleans(), n_expected=st.sampled_from([0, 10**9]))
    def make(self, k, canonical, n_expected):
        store = self.backend.kmers.kmer_store(k, canonical, RUN, n_bases_expected=n_expected)
        self.open.append(store)
        return store, naive.KmerStore(k, canonical)

    @rule(target=filled, pair=consumes(empty), batches=BATCHES)
    def fill(self, pair, batches):
        store, twin = pair
        store.fill(iter(batches_on(self.backend, batches)))
        twin.fill(batches)
        assert store.n_reads == len(twin.reads)
        assert store.n_bases == sum(map(len, twin.reads))
        assert store.n_kmers == sum(twin.counts().values())
        return pair

    @rule(target=counted, pair=filled, min_count=st.integers(1, 3))
    def count(self, pair, min_count):
        store, twin = pair
        parts = list(store.counted(min_count))
        assert len(parts) == store.n_parts
        dense = np.zeros(1 << 16, np.int64)
        for part in parts:
            dense[: len(part.histogram)] += part.histogram
        assert {n: int(dense[n]) for n in np.flatnonzero(dense).tolist()} == twin.histogram()
        assert sum(part.counts.size for part in parts) == len(twin.counts(min_count))
        return multiple() if not parts else (parts, min_count, twin)

    @rule(found=consumes(counted), more=st.integers(0, 2))
    def join(self, found, more):
        parts, min_count, twin = found
        concatenated = self.backend.kmers.concatenate_counted(parts, twin.k, min_count + more)
        codes, counts = map(self.backend.to_host, concatenated)
        expected = twin.counts(min_count + more)
        assert kmers_of(codes, twin.k) == list(expected)
        assert counts.tolist() == list(expected.values())
        assert not parts

    @rule(pair=consumes(filled))
    def close(self, pair):
        self.open.remove(pair[0])
        pair[0].close()


class ReadStores(Stores):
    """Several stores that are read from their beginning, by several readers at a time."""

    stores = Bundle("stores")
    readers = Bundle("readers")

    @rule(target=stores, batches=BATCHES)
    def make(self, batches):
        store = self.backend.reads.read_store(iter(batches_on(self.backend, batches)), RUN)
        self.open.append(store)
        return store, naive.ReadStore(batches)

    @rule(pair=stores)
    def read_all(self, pair):
        store, twin = pair
        found = list(store)
        assert len(found) == len(twin.batches)
        for batch, reads in zip(found, twin.batches, strict=True):
            self.check(batch, reads)

    @rule(target=readers, pair=stores)
    def begin(self, pair):
        return iter(pair[0]), iter(list(pair[1].batches))

    @rule(reader=readers)
    def read_next(self, reader):
        found, expected = (next(batches, None) for batches in reader)
        assert (found is None) == (expected is None)
        if found is not None:
            self.check(found, expected)

    @rule(pair=stores, k=st.sampled_from(KS))
    def count(self, pair, k):
        store, twin = pair
        kmers, expected = self.backend.kmers.kmer_store(k, True, RUN), naive.KmerStore(k, True)
        self.open.append(kmers)
        kmers.fill(store)
        expected.fill(twin.batches)
        assert kmers.n_kmers == sum(expected.counts().values())

    def check(self, batch, reads):
        for name in ("bases", "offsets", "ambiguous_positions"):
            assert np.array_equal(self.backend.to_host(getattr(batch, name)), getattr(batch_of(reads), name))


@pytest.mark.parametrize(
    ("share", "sorted_bases"),
    [(1.0, 1 << 24), (1.0, 300), (1.0, 0), (1e-9, 0)],
    ids=["sorted", "some", "memory", "file"],
)
@pytest.mark.parametrize("machine", [KmerStores, ReadStores])
def test_any_order_of_operations_agrees_with_the_twin(backend, tune, machine, share, sorted_bases):
    tune(super_kmers_share=share * tuning().super_kmers_share, reads_share=share * tuning().reads_share)
    tune(sorted_bases=sorted_bases)
    bound = type(machine.__name__, (machine,), {"backend": backend})
    run_state_machine_as_test(bound, settings=STEPS)
