"""The model of what assemblies need: bounds and order, not the measured constants."""

from __future__ import annotations

from dataclasses import replace

import pytest

from debruijn_gpu.assembly.needs import Workload, needs_of

GIB = 1 << 30
ECOLI = Workload(
    n_bases=464e6,
    n_reads=3.1e6,
    compressed_share=1.0,
    kept_share=1.0,
    n_kmers=402e6,
    n_first=4.6e6,
    n_repeated=5.5e6,
    n_later=4.6e6,
    ks=(21, 43, 67, 91, 115, 139),
    is_stored=True,
    is_surveyed=True,
    is_paired=True,
)


def test_a_genome_that_was_measured():
    """2 x 150 bp of E. coli at 100x: 1069 MiB, 26.2 CPU seconds of a core 1.6 times as fast as the model's."""
    needs = needs_of(ECOLI, 16 * GIB, 2)
    assert 1069 / 1.3 < needs.memory_bytes / (1 << 20) < 1069 * 1.3
    assert 26.2 * 1.6 / 1.3 < needs.cpu_s < 26.2 * 1.6 * 1.3
    assert needs.cpu_s / 2 < needs.wall_s < needs.cpu_s / 1.3
    assert needs.temporary_bytes == 0


def test_a_genome_in_partitions_that_was_measured():
    """30x of 20 Mbp in 1 GiB: 68 CPU seconds, 728 MiB of scratch, 38.6 MiB of results."""
    work = Workload(
        n_bases=600e6,
        n_reads=4e6,
        compressed_share=0.0,
        kept_share=1.0,
        n_kmers=520e6,
        n_first=19.8e6,
        n_repeated=22e6,
        n_later=19.8e6,
        ks=ECOLI.ks,
        is_stored=True,
        is_surveyed=True,
        is_paired=False,
    )
    needs = needs_of(work, GIB, 2)
    assert needs.memory_bytes == GIB
    assert 68 / 1.3 < needs.cpu_s < 68 * 1.3
    assert needs.cpu_s / 2 < needs.wall_s < needs.cpu_s / 1.3
    assert 728 / 1.3 < needs.temporary_bytes / (1 << 20) < 728 * 1.3
    assert 38.6 / 1.3 < needs.output_bytes / (1 << 20) < 38.6 * 1.3


def test_less_memory_takes_more_disk():
    wide, tight = (needs_of(ECOLI, budget, 2) for budget in (16 * GIB, GIB // 2))
    assert tight.memory_bytes <= GIB // 2 < wide.memory_bytes
    assert tight.temporary_bytes > wide.temporary_bytes
    assert tight.least_budget_bytes == wide.least_budget_bytes <= GIB


def test_the_need_is_more_than_a_budget_that_does_not_suffice():
    least = needs_of(ECOLI, GIB, 2).least_budget_bytes
    assert needs_of(ECOLI, least - 1, 2).memory_bytes == least
    assert needs_of(ECOLI, least, 2).memory_bytes <= least


@pytest.mark.parametrize("name", ["n_bases", "n_reads", "n_kmers", "n_first", "n_repeated", "n_later"])
def test_more_of_anything_never_needs_less(name):
    more = replace(ECOLI, **{name: 3 * getattr(ECOLI, name)})
    for budget in (GIB, 64 * GIB):
        small, large = needs_of(ECOLI, budget, 2), needs_of(more, budget, 2)
        assert large.memory_bytes >= small.memory_bytes
        assert large.cpu_s >= small.cpu_s
        assert large.least_budget_bytes >= small.least_budget_bytes


def test_threads_and_speed_change_the_time_alone():
    one, many, slow = needs_of(ECOLI, GIB, 1), needs_of(ECOLI, GIB, 16), needs_of(ECOLI, GIB, 1, 2.0)
    assert many.cpu_s == one.cpu_s == pytest.approx(one.wall_s)
    assert many.wall_s < one.wall_s < slow.wall_s
    assert many.memory_bytes == one.memory_bytes == slow.memory_bytes


def test_without_reads_to_store_nothing_is_kept():
    single = replace(ECOLI, ks=(31,), is_stored=False, is_surveyed=False, is_paired=False)
    assert needs_of(single, 64 * GIB, 1).memory_bytes < needs_of(ECOLI, 64 * GIB, 1).memory_bytes


def test_packed_scratch_files_that_were_measured():
    """25x of 20 Mbp in 600 MiB: 0.81 GiB are written to scratch files, 0.97 before integers were packed."""
    work = replace(
        ECOLI,
        n_bases=500e6,
        n_reads=3.33e6,
        n_kmers=433e6,
        n_first=20e6,
        n_repeated=22e6,
        n_later=20e6,
        ks=(21, 41),
    )
    assert 0.81 / 1.35 < needs_of(work, 600 << 20, 2).temporary_bytes / GIB < 0.81 * 1.35
