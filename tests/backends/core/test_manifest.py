"""The manifest of kernels, and names by which other processes find them."""

from __future__ import annotations

import pytest

from debruijn_gpu.backends.core import detection, kernel_names, kernel_store, manifest
from debruijn_gpu.backends.core.cpu import levels, store as cpu_store
from debruijn_gpu.backends.core.cpu.arguments import split_signature
from debruijn_gpu.backends.core.manifest import Row
from debruijn_gpu.cli import COMMANDS

ROWS = manifest.read()


def test_what_is_written_is_read(tmp_path):
    rows = [
        Row("cpu", "arrays.cpu.radix", "sort_bucket", "u8:1C,-,u8:1C,-", frozenset(["sort", "assemble 2w pairs"])),
        Row("cuda", "kmers.cuda.lookups", "_look_up(3)", "u8:2C,i8", frozenset(["count 3w"])),
        Row("cpu", "a.b", "c", "", frozenset()),
    ]
    manifest.write(rows, tmp_path / "kernels.tsv")
    assert manifest.read(tmp_path / "kernels.tsv") == rows
    assert rows[0].commands == {"sort", "assemble"}
    assert manifest.read(tmp_path / "none.tsv") == []


@pytest.mark.parametrize(
    ("line", "scenario"),
    [
        ("sort a.txt", "sort"),
        ("assemble a.fq", "assemble auto single"),
        ("assemble -1 a.fq -2 b.fq", "assemble auto pairs"),
        ("assemble -1 a.fq -2 b.fq -k 97 --no-pairs", "assemble 4w single"),
        ("assemble --12 a.fq -k 21,33", "assemble auto pairs"),
        ("count -k 32 a.fq", "count 1w"),
        ("count -k 33 a.fq", "count 2w"),
        ("unitigs a.fq", "unitigs auto"),
        ("debruijn --alphabet 10 -n 4", "debruijn"),
        ("debruijn -n 4 --method crt", "debruijn crt"),
        ("debruijn at --method crt -n 4 9", "debruijn at crt"),
        ("cyclospec NQEL", "cyclospec"),
        ("cyclospec sequence a.txt", "cyclospec sequence"),
        ("filter 3", "compact"),
        ("generate circuit", "generate circuit"),
        ("", ""),
        ("-k", "-k"),
        ("assemble -k", "assemble auto single"),
    ],
)
def test_scenarios_of_command_lines(line, scenario):
    assert manifest.scenario_of(line.split()) == scenario


def test_rows_of_a_scenario():
    rows = [
        Row("cpu", "m", "first", "", frozenset(["count 1w", "sort"])),
        Row("cpu", "m", "both", "", frozenset(["count 1w", "count 2w"])),
        Row("cpu", "m", "second", "", frozenset(["count 2w"])),
        Row("cuda", "m", "third", "", frozenset(["count 1w"])),
    ]

    def paths(scenario, backend="cpu"):
        return [row.path for row in manifest.for_scenario(rows, scenario, backend)]

    assert paths("count 1w") == ["first", "both"]
    assert paths("count 1w", "cuda") == ["third"]
    assert paths("count 8w") == ["both"]  # not known: what every scenario of the command uses
    assert paths("draw") == []
    assert paths("") == []


def test_each_kernel_is_there_once_and_is_used():
    keys = [(row.backend, row.module, row.path, row.signature) for row in ROWS]
    assert len(set(keys)) == len(keys) > 300
    assert all(row.scenarios for row in ROWS if row.backend == "cpu")


def test_commands_without_kernels_are_known():
    """Others are in `tests.kernels.scenarios`, so that they can be compiled before their first run."""
    listed = {scenario.partition(" ")[0] for row in ROWS if row.backend == "cpu" for scenario in row.scenarios}
    assert set(COMMANDS) - listed == {"report", "stats", "simulate", "help", "completion", "doctor", "warmup", "bench"}


@pytest.mark.parametrize("module", sorted({row.module for row in ROWS if row.backend == "cpu"}))
def test_kernels_are_found_and_have_names(module):
    for row in ROWS:
        if row.module == module:
            kernel = kernel_names.find(row.module, row.path)
            assert kernel_names.find(*kernel_names.name(kernel)) is kernel
            assert kernel_store.name_of(kernel, row.signature)
            assert len(split_signature(row.signature)) == kernel.py_func.__code__.co_argcount


@pytest.mark.parametrize("module", sorted({row.module for row in ROWS if row.backend == "cpu"}))
def test_kernels_are_kept(module):
    """What is not in the store, as after `tests.warm_up`, is compiled, which fails if it cannot be kept."""
    for row in ROWS:
        if row.module == module:
            kernel = kernel_names.find(row.module, row.path)
            name = kernel_store.name_of(kernel, row.signature)
            if not any(kernel_store.is_there(target, name) for target in cpu_store.targets()):
                assert cpu_store.content_of(kernel, row.signature, name, levels.level())


@pytest.mark.skipif(bool(detection.cuda_problems()), reason="imports CuPy, or its stand-in in the simulator")
@pytest.mark.cuda
def test_kernels_of_cuda_are_found():
    for row in ROWS:
        if row.backend == "cuda":
            kernel = kernel_names.follow(row.module, row.path)
            assert kernel_names.follow(*kernel_names.name(kernel)) is kernel


@pytest.mark.parametrize(
    ("module", "path"),
    [("arrays.cpu.radix", "none"), ("arrays.cpu.none", "_pass"), ("arrays.cpu.radix", "np"), ("arrays.cpu.radix", "")],
)
def test_what_is_no_kernel_is_not_found(module, path):
    with pytest.raises((ImportError, LookupError, AttributeError)):
        kernel_names.find(module, path)


def test_families_make_kernels_once():
    made = []

    def make(zero):
        made.append(zero)
        return len(zero)

    family = kernel_names.Family(make)
    assert [family((0, 0)), family((0, 0)), family.of(2), family.of(1)] == [2, 2, 2, 1]
    assert len(made) == 2
    assert kernel_names.Family(lambda n_words: n_words).of(3) == 3
