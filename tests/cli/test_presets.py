"""`dbg assemble --preset` and `--help-all`."""

from __future__ import annotations

import json
import re
from dataclasses import fields

import pytest
from click.testing import CliRunner

from debruijn_gpu.assembly.break_options import BreakOptions
from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.assembly.presets import PRESETS, Preset
from debruijn_gpu.assembly.variant_options import VariantOptions
from debruijn_gpu.cli import group
from debruijn_gpu.cli.expert_options import BREAK_EXPERT, EXPERT, PAIR_EXPERT, VARIANT_EXPERT, preset_text
from debruijn_gpu.pairs import last_graph
from tests.cli.test_assemble import MATES, genome, is_rotation
from tests.helpers import first_quick

__all__ = ["genome"]

PAIRS = "-1", MATES[0], "-2", MATES[1]
KINDS = {CleanOptions: EXPERT, PairOptions: PAIR_EXPERT, BreakOptions: BREAK_EXPERT, VariantOptions: VARIANT_EXPERT}
CHANGING = [name for name in PRESETS if PRESETS[name].values]


def help_page(*arguments: str) -> str:
    """Return a help page with its words in one line."""
    result = CliRunner().invoke(group, ["assemble", *arguments])
    assert result.exit_code == 0
    return re.sub(r"(?<=\w-)\s+", "", " ".join(result.output.split()))


@pytest.fixture
def assembled(dbg, tmp_path):
    """Run `dbg assemble` on pairs; return params.json, the log on standard error, and the contigs."""

    def run(*arguments: object) -> tuple[dict, str, str]:
        code, _out, err = dbg("assemble", *PAIRS, "-v", "-f", "-o", tmp_path / "out", *arguments)
        assert code == 0, err
        params = json.loads((tmp_path / "out" / "params.json").read_text())["assemble"]
        return params, err, (tmp_path / "out" / "contigs.fasta").read_text()

    return run


@pytest.mark.parametrize("name", first_quick(CHANGING, 2))
def test_each_preset_assembles_a_phage(assembled, genome, name):
    params, err, contigs = assembled("--preset", name)
    assert is_rotation(contigs.split("\n")[1], genome)
    assert params["preset"] == name
    assert params["preset_values"] == PRESETS[name].values
    assert {**params, **params["clean"]}.items() >= PRESETS[name].values.items()
    assert f"preset {name}: {preset_text(name)}" in err


def test_the_default_preset_changes_and_records_nothing(assembled):
    params, err, contigs = assembled()
    assert assembled("--preset", "isolate")[::2] == (params, contigs)
    assert "preset" not in params
    assert "preset isolate" not in err


@pytest.mark.parametrize("given_first", first_quick([True, False]))
def test_options_that_are_given_win_over_the_preset(assembled, given_first):
    given, preset = ("--min-count", 4, "--haplotype-ratio", 0.5), ("--preset", "meta")
    params, err, _contigs = assembled(*(given + preset if given_first else preset + given))
    assert (params["min_count"], params["clean"]["haplotype_ratio"]) == (4, 0.5)
    left = {
        name: value for name, value in PRESETS["meta"].values.items() if name not in ("min_count", "haplotype_ratio")
    }
    assert params["preset_values"] == left
    assert "--min-count" not in err.partition("preset meta:")[2].partition("\n")[0]


def test_without_cleaning_a_preset_sets_the_other_options(assembled):
    params, _err, _contigs = assembled("--preset", "meta", "--no-clean", "-k", 31)
    assert params["clean"] is None
    assert params["preset_values"] == {name: v for name, v in PRESETS["meta"].values.items() if name not in EXPERT}


@pytest.mark.parametrize(("name", "remedy"), [("mata", "did you mean meta? "), ("whatever", "")])
def test_an_unknown_preset_is_refused_with_the_choices(dbg, name, remedy):
    code, out, err = dbg("assemble", *MATES, "--preset", name)
    assert (code, out) == (2, "")
    assert f"--preset {name}: no such preset" in err
    assert f"{remedy}choose one of {', '.join(PRESETS)}" in err


def test_thresholds_need_cleaning_and_are_checked(dbg):
    code, _out, err = dbg("assemble", *MATES, "--tip-ratio", 0.3, "--no-clean")
    assert (code, "--tip-ratio and --no-clean exclude each other" in err) == (2, True)
    code, _out, err = dbg("assemble", *MATES, "--tip-ratio", -1)
    assert (code, "--tip-ratio is -1" in err) == (2, True)


def test_thresholds_reach_the_assembly(assembled):
    given = {"tip_ratio": 0.25, "max_rounds": 3, "bubble_rare": 1.0}
    options = [part for name, value in given.items() for part in (CleanOptions.option_name(name), value)]
    assert assembled(*options)[0]["clean"].items() >= given.items()


@pytest.mark.slow
def test_thresholds_of_pairs_reach_the_assembly(assembled, monkeypatch):
    given = {"least_pairs": 3, "least_support": 0.25, "slack_bp": 30}
    options = [part for name, value in given.items() for part in (PairOptions.option_name(name), value)]
    taken = []
    use_pairs = last_graph.use_pairs
    monkeypatch.setattr(last_graph, "use_pairs", lambda *arguments: taken.append(arguments) or use_pairs(*arguments))
    params = assembled(*options)[0]
    assert params["pair_options"].items() >= given.items()
    assert PairOptions(**given) in taken[0]
    assert "pair_options" not in assembled(PairOptions.option_name("least_pairs"), 2)[0]
    assert PairOptions() in taken[1]


@pytest.mark.slow
def test_thresholds_of_cuts_and_variants_reach_the_assembly(assembled, monkeypatch):
    given = {"least_across": 5, "place_slack_bp": 30}
    options = [part for name, value in given.items() for part in (BreakOptions.option_name(name), value)]
    taken = []
    use_pairs = last_graph.use_pairs
    monkeypatch.setattr(last_graph, "use_pairs", lambda *arguments: taken.append(arguments) or use_pairs(*arguments))
    params = assembled(*options, "--keep-variants", "--variant-parts-of-depth", 5)[0]
    assert params["break_options"].items() >= given.items()
    assert params["variant_options"]["parts_of_depth"] == 5
    assert BreakOptions(**given) in taken[0]
    assert not {"break_options", "variant_options"} & assembled("--keep-variants")[0].keys()


def test_thresholds_of_variants_need_variants(dbg):
    code, _out, err = dbg("assemble", *PAIRS, "--variant-balanced-parts", 3)
    assert (code, "--variant-balanced-parts has no effect without --keep-variants" in err) == (2, True), err


def test_thresholds_of_joins_need_joins_and_are_checked(dbg):
    for options in (
        ("--break-least-across", 5, "--no-pairs"),
        ("--pair-slack", 5, "--walk", "euler"),
        ("--no-break", "--walk", "euler"),
    ):
        code, _out, err = dbg("assemble", *PAIRS, *options)
        assert (code, "exclude each other" in err) == (2, True), options
    code, _out, err = dbg("assemble", *PAIRS, "--break-least-reads", 1, "--no-pairs")
    assert (code, "--break-least-reads is 1" in err) == (2, True), err
    code, _out, err = dbg("assemble", *PAIRS, "--pair-slack", -1)
    assert (code, "--pair-slack is -1" in err) == (2, True)


@pytest.mark.slow
def test_presets_may_set_thresholds_of_pairs(assembled, monkeypatch):
    values = {"least_support": 0.45, "bubble_ratio": 2.0, "min_count": 2}
    monkeypatch.setitem(PRESETS, "meta", Preset("strains", values))
    params, err, _contigs = assembled("--preset", "meta")
    assert params["pair_options"]["least_support"] == 0.45
    assert params["preset_values"] == values
    assert "--pair-least-support 0.45" in err
    assert assembled("--preset", "meta", "--no-pairs")[0]["preset_values"] == values
    found = AssembleOptions.of_preset("meta")
    assert (found.pair_options.least_support, found.clean.bubble_ratio, found.min_count) == (0.45, 2.0, 2)


def test_every_threshold_is_an_expert_option():
    for kind, texts in KINDS.items():
        assert set(texts) == {field.name for field in fields(kind)}
    names = [name for texts in KINDS.values() for name in texts]
    assert len(names) == len(set(names))
    for preset in PRESETS.values():
        assert set(preset.values) <= {*EXPERT, "min_count", "max_depth", "trim"}


def test_help_lists_presets_and_hides_expert_options():
    page = help_page("--help")
    assert all(f"{name} {preset.purpose}" in page for name, preset in PRESETS.items())
    assert "assemble --help-all lists the values of presets, and all thresholds. Examples:" in page
    assert "--tip-ratio" not in page


def test_help_all_adds_expert_options_and_the_values_of_presets():
    page, plain = help_page("--help-all"), help_page("--help")
    assert page.startswith(plain.partition("Machine")[0])
    assert page.endswith(plain.rpartition("Examples:")[2])
    for name in PRESETS:
        assert f"{name} {preset_text(name)}" in page
    for kind, texts in KINDS.items():
        for name, (metavar, text) in texts.items():
            assert f"{kind.option_name(name)} {metavar} {text} [default: {getattr(kind, name)}]" in page
            assert f" {kind.option_name(name)} " not in plain
