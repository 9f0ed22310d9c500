"""Checks that options declare: what they accept, and how they word errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from debruijn_gpu.assembly.options import AssembleOptions, StatsOptions, UnitigOptions
from debruijn_gpu.bench.options import BenchOptions
from debruijn_gpu.drawing.options import DrawOptions
from debruijn_gpu.errors import ParameterError, UsageError
from debruijn_gpu.euler.options import EulerOptions
from debruijn_gpu.graph.options import GenerateOptions, GraphInputOptions
from debruijn_gpu.kmers.options import CountOptions
from debruijn_gpu.peptides.options import ConvolutionOptions, LeaderboardOptions, SpectrumOptions
from debruijn_gpu.primitives.options import HistogramOptions, TableOptions
from debruijn_gpu.reads.options import ReadInputs, SimulateOptions
from debruijn_gpu.run.checks import Checked, at_least, between, each, ensure, exclusive, needs, one_of, valid
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.sequences.options import LookAndSayOptions, SequenceOptions, SymbolOutputOptions


@dataclass(frozen=True, kw_only=True)
class Prefixed(Checked):
    """Options with a prefix."""

    repeat_bp: int = 1
    slack: int = 1

    option_prefix: ClassVar = "--some-"
    option_names: ClassVar = {"slack": "--other"}


def refuse_seven(value: int) -> None:
    if value == 7:
        raise ParameterError("seven")


@dataclass(frozen=True, kw_only=True)
class Options(Checked):
    """One field for each kind of check."""

    n_items: int | None = None
    rate: float = 0.5
    mode: str | None = None
    quick: bool = False
    slow: bool = False
    depth: int = 1
    sizes: tuple[int, ...] = ()

    option_names: ClassVar = {"n_items": "-n"}
    checks = (
        at_least("n_items", 2),
        between("rate", 0, 1000, None),
        one_of("mode", ("a", "b")),
        *exclusive("quick", "slow"),
        needs("depth", "slow", "mode b"),
        each("sizes", refuse_seven),
        valid("depth", refuse_seven),
        ensure(lambda options: options.depth != 9, lambda options: f"depth {options.depth}", "choose another"),
    )


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"n_items": 2, "rate": 0, "mode": "a", "slow": True, "depth": 5, "sizes": (1, 2)},
        {"rate": 1000.0, "mode": "b", "depth": 5, "quick": True},
    ],
)
def test_sound_values_are_accepted(values):
    assert Options(**values) == Options(**values)


@pytest.mark.parametrize(
    ("values", "error", "what", "remedy"),
    [
        ({"n_items": 1}, ParameterError, "-n is 1", "give 2 or more"),
        ({"rate": -0.25}, ParameterError, "--rate is -0.25", "give a number from 0 to 1,000"),
        ({"rate": 1e4}, ParameterError, "--rate is 10000", "give a number from 0 to 1,000"),
        ({"rate": float("nan")}, ParameterError, "--rate is nan", "give a number from 0 to 1,000"),
        ({"mode": "c"}, UsageError, "--mode c: no such mode", "choose one of a, b"),
        ({"quick": True, "slow": True}, UsageError, "--quick and --slow exclude each other", "leave one of them out"),
        (
            {"depth": 2},
            UsageError,
            "--depth has no effect without --slow or --mode b",
            "leave --depth out, or give --slow or --mode b",
        ),
        ({"sizes": (1, 7)}, ParameterError, "seven", ""),
        ({"depth": 7, "slow": True}, ParameterError, "seven", ""),
        ({"depth": 9, "slow": True}, ParameterError, "depth 9", "choose another"),
    ],
)
def test_errors_name_option_value_and_remedy(values, error, what, remedy):
    with pytest.raises(error) as caught:
        Options(**values)
    assert (caught.value.what, caught.value.fix) == (what, remedy)


def test_option_names_have_the_prefix_of_their_class_and_no_unit():
    assert [Prefixed.option_name(name) for name in ("repeat_bp", "slack")] == ["--some-repeat", "--other"]
    assert StatsOptions.option_name("min_contig_bp") == "--min-contig"


#: Options of each class that must be refused, the exit code, and the start of the message
REFUSED = [
    (RunOptions, {"threads": -1}, 2, "-t/--threads is -1"),
    (RunOptions, {"backend": "tpu"}, 2, "--backend tpu: no such backend"),
    (ReadInputs, {}, 2, "no reads given"),
    (ReadInputs, {"first": ("a",)}, 2, "1 file of first mates (-1) but 0 of second mates (-2)"),
    (ReadInputs, {"single": ("-", "-")}, 2, "standard input (-) is given more than once"),
    (CountOptions, {"k": 0}, 2, "k is 0"),
    (CountOptions, {"min_count": 0}, 2, "--min-count is 0"),
    (UnitigOptions, {"k": 30}, 2, "k is 30, an even number"),
    (UnitigOptions, {"graph_format": "dot"}, 2, "--format dot: no such format"),
    (UnitigOptions, {"tigs": "x"}, 2, "--tigs x: no such strings"),
    (UnitigOptions, {"tigs": "eulertigs", "graph_format": "gfa"}, 2, "--tigs eulertigs in the format gfa"),
    (AssembleOptions, {"ks": (31, 32)}, 2, "k is 32"),
    (AssembleOptions, {"name": " "}, 2, "--name is ' '"),
    (AssembleOptions, {"min_contig_bp": -1}, 2, "--min-contig is -1"),
    (AssembleOptions, {"walk": "x"}, 2, "--walk x: no such walk"),
    (StatsOptions, {"min_contig_bp": -1}, 2, "--min-contig is -1"),
    (SimulateOptions, {"length_bp": 0}, 2, "--length is 0"),
    (SimulateOptions, {"depth": float("inf")}, 2, "--depth is inf"),
    (SimulateOptions, {"sub_rate": 1.5}, 2, "--sub-rate is 1.5"),
    (SimulateOptions, {"indel_rate": -1}, 2, "--indel-rate is -1"),
    (SimulateOptions, {"sub_rate": 0.75, "indel_rate": 0.75}, 2, "--sub-rate and --indel-rate add up to 1.5"),
    (SimulateOptions, {"paired": True, "insert_bp": 10}, 2, "--insert is 10, shorter than the reads of 150"),
    (SimulateOptions, {"paired": True, "insert_bp": 10**10}, 2, "--insert is 10000000000"),
    (SimulateOptions, {"insert_sd_bp": -1.0}, 2, "--insert-sd is -1"),
    (SimulateOptions, {"seed": -1}, 2, "--seed is -1"),
    (GraphInputOptions, {"canonical": False}, 2, "--forward has no effect without -k"),
    (GraphInputOptions, {"min_count": 2}, 2, "--min-count has no effect without -k"),
    (GraphInputOptions, {"k": 3, "n_vertices": 1}, 2, "--n-vertices and -k exclude each other"),
    (GraphInputOptions, {"n_vertices": -1}, 2, "--n-vertices is -1"),
    (EulerOptions, {"algorithm": "x"}, 2, "--algorithm x: no such algorithm"),
    (EulerOptions, {"path": True, "trails": True}, 2, "--path and --trails exclude each other"),
    (GenerateOptions, {"kind": "x", "n": 1}, 2, "KIND x: no such graph"),
    (GenerateOptions, {"kind": "random", "n": 1, "path": True}, 2, "--path and KIND random exclude each other"),
    (GenerateOptions, {"kind": "genome", "n": 30}, 2, "-n is 30"),
    (GenerateOptions, {"kind": "random", "n": 1, "cycle_edges": 1}, 2, "--cycle-edges is 1"),
    (GenerateOptions, {"kind": "genome", "n": 99, "repeats": 1}, 2, "1 repeats of 1000 bases"),
    (GenerateOptions, {"kind": "debruijn", "n": 32, "alphabet": 4}, 2, "B(4, 32) has more than 2^62 edges"),
    (GenerateOptions, {"kind": "debruijn", "n": 64, "alphabet": 1}, 2, "B(1, 64): expected words of at most 63"),
    (SequenceOptions, {}, 2, "-n is missing"),
    (SequenceOptions, {"order": 0}, 2, "-n is 0"),
    (SequenceOptions, {"order": 4, "method": "x"}, 2, "--method x: no such method"),
    (SequenceOptions, {"order": 4, "method": "lyndon", "max_run": 2}, 2, "--method and --max-run exclude each other"),
    (SequenceOptions, {"order": 4, "cut_down": 9, "words": "w"}, 2, "--cut-down and --words exclude each other"),
    (SequenceOptions, {"order": 4, "max_run": 0}, 2, "--max-run is 0"),
    (SymbolOutputOptions, {"file_format": "x"}, 2, "--format x: no such format"),
    (LookAndSayOptions, {"n_steps": -1}, 2, "-n is -1"),
    (SpectrumOptions, {"unique": True, "count": True}, 2, "--unique and --count exclude each other"),
    (SpectrumOptions, {"to": "x"}, 2, "--format x: no such format"),
    (SpectrumOptions, {"top": 0}, 2, "--top is 0"),
    (LeaderboardOptions, {"keep": 0}, 2, "--keep is 0"),
    (ConvolutionOptions, {"low": 5, "high": 4}, 2, "no difference is from 5 to 4"),
    (TableOptions, {"dtype": "u8"}, 2, "--dtype u8: no such type"),
    (TableOptions, {"n_columns": 2}, 2, "--columns has no effect without --dtype"),
    (HistogramOptions, {"low": 2, "high": 1}, 2, "--range is 2:1"),
    (HistogramOptions, {"low": 1, "high": 1}, 2, "--range is 1:1"),
    (HistogramOptions, {"low": 1, "high": float("inf")}, 2, "--range is 1:inf"),
    (DrawOptions, {"in_degree": -1}, 2, "--in is -1"),
    (DrawOptions, {"wash": True}, 2, "--wash has no effect without --spanning-tree"),
    (DrawOptions, {"stage": "x"}, 2, "--stage x: no such stage"),
    (DrawOptions, {"radius": 2}, 2, "--radius has no effect without --around"),
    (DrawOptions, {"undirected": True, "out_degree": 0}, 2, "--undirected and --out exclude each other"),
    (BenchOptions, {"operations": ("x",)}, 2, "OPERATION x: no such operation"),
    (BenchOptions, {"backends": ("tpu",)}, 2, "--backends tpu: no such backend"),
    (BenchOptions, {"sizes": (5, 0)}, 2, "a size is 0"),
    (BenchOptions, {"sizes": (5,), "max_size": 9}, 2, "--max-size and --sizes exclude each other"),
]


@pytest.mark.parametrize(("options", "values", "exit_code", "what"), REFUSED)
def test_each_class_of_options_declares_its_checks(options, values, exit_code, what):
    with pytest.raises((UsageError, ParameterError)) as caught:
        options(**values)
    assert (caught.value.exit_code, caught.value.what[: len(what)]) == (exit_code, what)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("options", "values"),
    [
        (SequenceOptions, {"order": 4, "forbidden": ("01",), "max_run": 2}),
        (HistogramOptions, {"low": 1, "high": 1, "integers": True}),
        (HistogramOptions, {"low": 5}),
        (GraphInputOptions, {"k": 31, "canonical": False, "min_count": 2}),
        (SimulateOptions, {"insert_bp": 10**10}),  # of no effect on single reads
        (ReadInputs, {"first": ("a",), "second": ("-",)}),
    ],
)
def test_combinations_with_an_effect_are_accepted(options, values):
    for name, value in values.items():
        assert getattr(options(**values), name) == value
