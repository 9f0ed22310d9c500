"""Short inserts, adapters and runs at the ends of reads against a slow twin, on every backend at hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from tests.helpers import batch_of, n_examples, operation, random_sequence
from tests.naive import trimming as naive
from tests.naive.kmers import reverse_complement

pytestmark = pytest.mark.cuda

few = settings(
    deadline=None,
    max_examples=6 if is_simulated() else n_examples(80),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
READS = st.lists(st.text("ACGT", max_size=50), max_size=5)
N = 2 if is_simulated() else 60


def on(backend, reads):
    return batch_of(reads).moved(backend.to_device)


def inserts(backend, firsts, seconds):
    """Short inserts of pairs whose second mates are in the opposite order."""
    rows = np.arange(len(firsts))
    find = operation(backend, "short_inserts")
    return find(on(backend, firsts), rows, on(backend, seconds[::-1]), rows[::-1].copy()).tolist()


def with_errors(rng, read, n):
    read = list(read)
    for at in rng.integers(0, max(1, len(read)), n if read else 0):
        read[at] = "ACGT"[int(rng.integers(0, 4))]
    return "".join(read)


@pytest.mark.parametrize("seed", range(4))
def test_short_inserts_are_those_of_the_twin(backend, seed):
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(N):
        lengths, insert_bp = rng.integers(25, 100, 2), int(rng.integers(0, 110))
        insert = random_sequence(rng, insert_bp)
        mates = insert, reverse_complement(insert)
        pairs.append([
            with_errors(rng, mate + random_sequence(rng, 100), int(rng.integers(0, 9)))[:n]
            for mate, n in zip(mates, lengths, strict=True)
        ])  # fmt: skip
    firsts, seconds = map(list, zip(*pairs, strict=True))
    expected = [naive.short_insert(*pair) for pair in pairs]
    assert inserts(backend, firsts, seconds) == expected
    assert is_simulated() or sum(map(bool, expected)) > 10


def test_repeats_count_for_the_longest_insert(backend):
    repeat = random_sequence(np.random.default_rng(5), 12)
    read = (repeat * 6)[:64]
    assert inserts(backend, [read], [reverse_complement(read)]) == [naive.short_insert(read, reverse_complement(read))]
    assert inserts(backend, [], []) == []


@few
@given(reads=READS, adapter=st.text("ACGT", min_size=8, max_size=32), data=st.data())
def test_adapters_are_found_as_by_the_twin(backend, reads, adapter, data):
    rng = np.random.default_rng(len(adapter))
    reads = [*reads, *(read + with_errors(rng, adapter, 2)[: data.draw(st.integers(0, 32))] for read in reads)]
    word, least = int(batch_of([adapter]).bases[0]), data.draw(st.integers(4, 19))
    found = operation(backend, "adapter_starts")(on(backend, reads), word, len(adapter), least)
    assert found.tolist() == [naive.length_without_adapter(read, adapter, least) for read in reads]


@few
@given(reads=st.lists(st.text("AG", max_size=8) | st.text("ACGT", max_size=50), max_size=5))
def test_runs_at_the_ends_are_those_of_the_twin(backend, reads):
    assert operation(backend, "trailing_runs")(on(backend, reads)).tolist() == list(map(naive.trailing_run, reads))


@few
@given(reads=READS, data=st.data())
def test_words_are_the_bases_from_a_position_on(backend, reads, data):
    whole = "".join(reads)
    positions = data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=5)) if whole else []
    found = operation(backend, "words_at")(on(backend, reads), np.array(positions, np.int64))
    assert found.tolist() == [int(batch_of([whole[at:][:32].ljust(32, "A")]).bases[0]) for at in positions]
