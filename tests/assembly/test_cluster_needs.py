"""The model of clusters and its simulation: bounds, order and sums; a measured cluster."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from debruijn_gpu.assembly.cluster_needs import Cluster, ClusterModel, ReadLoad
from debruijn_gpu.assembly.cluster_options import ClusterOptions
from debruijn_gpu.assembly.cluster_simulation import NONE, Disturbances, simulate_cluster
from debruijn_gpu.assembly.stage_rates import DEFAULT_RATES, StageRates
from debruijn_gpu.errors import FormatError, OptionValueError

GIB = 1 << 30
#: E. coli at 40x, 150 bp, k = 31, which Dask was measured with
ECOLI = ReadLoad(185.7e6, 401e6, 0.0, 150, 31, 148.5e6, 4.56e6)
#: 40x of a random genome of 5 Mbp
RANDOM = ReadLoad(200e6, 421e6, 0.0, 150, 31, 160e6, 5.0e6)
HUMAN = ReadLoad(150e9, 75e9, 1.0, 150, 31, 120e9, 2.8e9)
METAGENOME = ReadLoad(10e12, 5e12, 1.0, 150, 31, 8e12, 5e11)


def model(load, n_workers, threads=1, **changes):
    return ClusterModel(load, replace(Cluster(n_workers, threads, 16 * GIB, GIB, 5 * GIB), **changes), DEFAULT_RATES)


def stage(found, name):
    return next(one for one in found.stages() if one.name == name)


def test_shuffled_bytes_are_those_that_were_measured():
    """154.3 MiB of super-k-mers, by the log of dbg unitigs --dask."""
    assert ECOLI.shuffle_bytes == pytest.approx(154.3 * (1 << 20), rel=0.02)


@pytest.mark.parametrize(("n_workers", "cpu_s"), [(1, 8.0), (2, 8.9), (4, 11.7)])
def test_cpu_seconds_are_near_those_that_were_measured(n_workers, cpu_s):
    """Of all processes, the scheduler and the client among them."""
    assert sum(one.cpu_s for one in model(RANDOM, n_workers).stages()) == pytest.approx(cpu_s, rel=0.25)


def test_one_worker_sends_nothing():
    assert [one.moved_bytes for one in model(HUMAN, 1).stages()] == [0] * 6
    assert stage(model(HUMAN, 2), "shuffle").moved_bytes == pytest.approx(
        (HUMAN.shuffle_bytes + HUMAN.scatter_bytes) / 2
    )


def test_work_does_not_depend_on_workers():
    for name in ("read", "count", "compact", "glue"):
        assert len({stage(model(HUMAN, n), name).cpu_s for n in (1, 10, 1000)}) == 1


@pytest.mark.parametrize("load", [ECOLI, RANDOM, HUMAN, pytest.param(METAGENOME, marks=pytest.mark.slow)])
def test_more_workers_are_never_slower(load):
    numbers = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181, 6765, 10_000]
    models = [model(load, n) for n in numbers]
    least = [one.wall_s for one in models]
    simulated = [sum(one.wall_s for one in simulate_cluster(found, NONE)) for found in models]
    for times in (least, simulated):
        assert all(after <= 1.01 * before for before, after in pairwise(times))
    assert models[-1].used.n_workers < 10_000
    assert simulate_cluster(models[-1]) == simulate_cluster(model(load, 100_000))


def test_the_largest_cluster_is_limited_by_one_process_or_the_disks():
    assert stage(model(HUMAN, 1), "glue").limit == "one process"
    largest = max(model(HUMAN, 1000).stages(), key=lambda one: one.wall_s)
    assert (largest.name, largest.limit) == ("glue", "one process")
    assert stage(model(HUMAN, 1000), "read").limit == "storage"


@pytest.mark.parametrize(
    ("changes", "name", "limit"),
    [
        ({"storage": 1e6}, "read", "storage"),
        ({"network": 1e5}, "shuffle", "network"),
        ({"network": 1e5}, "glue", "network"),
        ({"task_s": 10.0}, "compact", "scheduler"),
        ({}, "count", "CPU"),
    ],
)
def test_limits_are_named(changes, name, limit):
    assert stage(model(HUMAN, 10, **changes), name).limit == limit


def test_partitions_fit_into_workers():
    for memory in (GIB, 4 * GIB, 64 * GIB):
        found = model(HUMAN, 10, 4, memory=memory)
        under_way = 72 * HUMAN.n_kept * 1.08 * 4 / found.n_partitions
        assert under_way <= 0.3 * memory
        assert found.n_partitions >= 120
    assert model(HUMAN, 10, memory=64 * GIB).fits
    assert not model(HUMAN, 10, memory=GIB).fits


def test_simulation_without_disturbances_is_near_the_least_time():
    for n in (1, 10, 1000):
        found = model(HUMAN, n)
        for simulated, least in zip(simulate_cluster(found, NONE), found.stages(), strict=True):
            assert least.wall_s * 0.999 <= simulated.wall_s <= 1.3 * least.wall_s + 3, (n, least)


@pytest.mark.parametrize("n", [1, 7, 100])
def test_slow_workers_and_uneven_partitions_take_longer(n):
    found = model(HUMAN, n)
    even, uneven = (simulate_cluster(found, each) for each in (NONE, Disturbances(slow_share=0.3)))
    assert sum(one.wall_s for one in uneven) > sum(one.wall_s for one in even)
    assert simulate_cluster(found) == simulate_cluster(found)
    assert all(0 <= one.busy_share <= 1.0001 for one in uneven)


def test_ten_thousand_workers_are_simulated():
    found = simulate_cluster(model(HUMAN, 10_000))
    assert [one.name for one in found] == ["start", "read", "shuffle", "count", "compact", "glue"]


def test_rates_come_back():
    assert StageRates.from_json(DEFAULT_RATES.as_json(), "x") == DEFAULT_RATES


@pytest.mark.parametrize(
    "changes", [{"machine": 5}, {"count_s_per_kmer": 0}, {"count_s_per_kmer": "1"}, {"glue_s_per_segment": True}]
)
def test_invalid_rates_are_refused(changes):
    with pytest.raises(FormatError, match=rf"^rates.json: {next(iter(changes))} is not"):
        StageRates.from_json({**DEFAULT_RATES.as_json(), **changes}, "rates.json")
    for found in ([], {}, {**DEFAULT_RATES.as_json(), "more": 1}):
        with pytest.raises(FormatError, match="expected an object with the members machine, "):
            StageRates.from_json(found, "rates.json")


@pytest.mark.parametrize(
    "options", [{"workers": 0}, {"workers": 1, "worker_threads": 0}, {"workers": 10**6, "worker_threads": 2}]
)
def test_numbers_of_workers_are_checked(options):
    with pytest.raises(OptionValueError):
        ClusterOptions(**options).cluster()


@pytest.mark.parametrize("name", ["worker_memory", "network", "storage"])
@pytest.mark.parametrize("value", ["0", "fast", "0.5", "-1G", "5"])
def test_sizes_are_checked(name, value):
    with pytest.raises(OptionValueError, match=f"^--{name.replace('_', '-')} '{value}' "):
        ClusterOptions(workers=2, **{name: value}).cluster()
