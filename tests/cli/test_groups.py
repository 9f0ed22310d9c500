"""Mistyped names of commands: the names that are meant are suggested, and nothing is computed."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module

import click
import pytest

from debruijn_gpu.assembly.break_options import BreakOptions
from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.assembly.variant_options import VariantOptions
from debruijn_gpu.cli import COMMANDS, color, cyclospec, debruijn, kmers
from debruijn_gpu.cli.groups import check_rules, close_names, edit_distance, excludes, exclusive, needs
from debruijn_gpu.errors import UsageError


@pytest.mark.parametrize(
    ("first", "second", "edits"),
    [("", "", 0), ("a", "", 1), ("", "abc", 3), ("scor", "score", 1), ("assembel", "assemble", 1), ("ca", "abc", 3),
     ("kitten", "sitting", 3), ("sequnece", "sequence", 1), ("SCORE", "score", 5)],
)  # fmt: skip
def test_edit_distance(first, second, edits):
    assert edit_distance(first, second) == edit_distance(second, first) == edits


def test_names_beyond_two_edits_are_not_suggested():
    assert close_names("abcd", ["xyz", "abxyz", "abcdef", "abc"]) == ["abc"]
    assert close_names("abc", ["abd", "abe", "a"]) == ["abd", "abe"]
    assert close_names("abc", ["xyz", ""]) == []
    assert close_names("cut", ["count", "cat"]) == ["cat"]
    assert close_names("cut", ["count"]) == []
    assert close_names("acgt", ["at"]) == []
    assert close_names("cat", ["at", "locate"]) == ["at"]


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("assembel reads.fq", "'dbg assemble'"),
        ("asembel reads.fq", "'dbg assemble'"),
        ("unitig", "'dbg unitigs'"),
        ("Sort -", "'dbg sort'"),
        ("debruin", "'dbg debruijn'"),
        ("debruijn verfy x", "'dbg debruijn verify'"),
        ("debruijn --alphabet 2 lokate 0", "'dbg debruijn locate'"),
        ("cyclospec convolv spectrum.txt", "'dbg cyclospec convolve'"),
        ("cyclospec scor", "'dbg cyclospec score'"),
        ("cyclospec Score NQEL", "'dbg cyclospec score'"),
        ("cyclospec -q sequnce spectrum.txt", "'dbg cyclospec sequence'"),
        ("cyclospec spectra", "'dbg cyclospec spectrum'"),
        ("cyclospec NQEL cuont", "'dbg cyclospec count'"),
    ],
)
def test_mistyped_commands_are_answered_with_the_command_that_is_meant(dbg, command, meant):
    code, out, err = dbg(*command.split())
    assert (code, out, len(err.splitlines())) == (2, "", 2)
    assert f"did you mean {meant}?" in err


@pytest.mark.parametrize(
    ("group", "kind"),
    [
        ("debruijn", "no such command"),
        ("cyclospec", "neither a command nor a peptide"),
        ("color", "neither a command nor a sample file"),
    ],
)
def test_help_as_a_word_is_answered_with_the_option(dbg, group, kind):
    path = f"dbg {group}"
    code, out, err = dbg(group, "help")
    assert (code, out) == (2, "")
    assert err == f"dbg: {path} help: {kind}\n     '{path} --help' lists the commands\n"


@pytest.mark.parametrize(
    "names",
    [COMMANDS, *(group.command.commands for group in (debruijn, cyclospec, kmers, color))],
)
def test_commands_of_a_group_are_not_taken_for_each_other(names):
    for name in names:
        assert close_names(name, names) == [name]


def test_lower_case_peptides_take_an_option(dbg, tmp_path):
    expected = dbg("cyclospec", "NQEL")
    code, out, err = dbg("cyclospec", "nqel")
    assert (code, out) == (67, "")
    assert "position 1: 'n' is lower case" in err
    assert "--lower-case" in err
    assert dbg("cyclospec", "nqel", "--lower-case") == expected
    assert dbg("cyclospec", "--lower-case", "nqel") == expected
    file = tmp_path / "peptides.txt"
    file.write_text("nqel\n")
    assert dbg("cyclospec", file)[0] == 64
    assert dbg("cyclospec", file, "--lower-case") == expected


def test_lower_case_option_takes_words_that_are_close_to_commands(dbg):
    assert dbg("cyclospec", "scor", "--lower-case") == dbg("cyclospec", "SCOR")
    assert dbg("cyclospec", "help", "--lower-case") == dbg("cyclospec", "HELP")


def test_scores_of_lower_case_peptides(dbg, tmp_path):
    (tmp_path / "s").write_text("0 113 114 128 129 227 242 242 257 355 356 370 371 484\n")
    assert dbg("cyclospec", "score", "nqel", tmp_path / "s")[0] == 67
    assert dbg("cyclospec", "score", "nqel", tmp_path / "s", "--lower-case") == (0, "14\n", "")


def test_files_with_names_like_commands_are_read(dbg, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "counts").write_text("NQEL\n")
    assert dbg("cyclospec", "counts") == dbg("cyclospec", "NQEL")


#: What a command is given beside the options, and values of options that take one; defaults where they have one
ARGUMENTS = {
    "map": "reads.fq graph.gfa",
    "query": "set reads.fq",
    "screen": "reads.fq --against genome",
    "bin": "contigs.fa",
    "matrix": "sample.fa",
    "simulate": "genome",
    "compact": "--where nonzero",
    "join": "keys",
    "lookandsay": "1 -n 2",
    "debruijn locate": "0",
    "debruijn at": "-n 2 0",
    "cyclospec sequence": "spectrum",
    "cyclospec score": "NQEL spectrum",
    "cyclospec trim": "NQEL spectrum --top 10",
    "cyclospec convolve": "spectrum",
    "cyclospec count": "1000",
    "kmers expr": "a a=set",
    "color build": "reads.fq",
    **{f"color {name}": "x.dbgc" for name in ("grep", "sets", "samples")},
}
VALUES = {
    "--reads": "10", "--depth": "30",
    "--outdir": "out", "--name": "contigs", "--insert": "400", "--insert-sd": "40", "--columns": "1", "--fields": "1",
    "--bins": "10", "-k": "31", "--min-count": "1", "--n-vertices": "9", "--components": "weak", "--convert": "text",
    "--damping": "0.85", "--tolerance": "1e-6", "--iterations": "100", "--start": "a", "--algorithm": "parallel",
    "--format": "text", "--debruijn": "2,3", "--stage": "matched", "--radius": "3", "--around": "a", "--in": "2",
    "--out": "2", "--max-degree": "7", "--cycle-edges": "34", "--repeats": "1", "--repeat-length": "1000",
    "--seed": "1", "--method": "lyndon", "--words": "words", "--cut-down": "5", "--forbid": "01", "--max-run": "2",
    "--offset": "0", "--range": ":", "--against": "spectrum", "--plot": "x.svg", "--frequent": "20", "--keep": "1000",
    "--top": "10", "--mass": "integer", "--masses": "table", "--number": "0", "--title": "x", "--sizes": "60",
    "--max-size": "60", "--dtype": "u32", "--key": "1", "--alphabet": "4", "--overlap": "3", "--limit": "5",
    "--layout": "circo",
    "--min-ratio": "0.8", "--positions": "rle", "--at-least": "1",
    "--exactly": "1", "--count": "sum", "--measure": "jaccard",
    "--pairs": "2", "--export": "c", "--ions": "b,y", "--ends": "left", "--min-length": "50", "--steps": "5",
    "--output-1": "1.fq", "--output-2": "2.fq", "--dask": "local:2", "--gpus": "1",
}  # fmt: skip
VALUES |= {"--workers": "4", "--worker-threads": "2", "--worker-memory": "4G", "--network": "1G", "--storage": "1G"}
VALUES |= {"--rates": "rates.json", "--share-min": "1", "--nx": "10", "--genome-size": "5k"}
VALUES |= {CleanOptions.option_name(field.name): str(field.default) for field in fields(CleanOptions)}
VALUES |= {PairOptions.option_name(field.name): str(field.default) for field in fields(PairOptions)}
VALUES |= {BreakOptions.option_name(field.name): str(field.default) for field in fields(BreakOptions)}
VALUES |= {VariantOptions.option_name(field.name): str(field.default) for field in fields(VariantOptions)}
#: Of commands in which an option of that name has other values
OWN_VALUES = {
    ("debruijn", "--alphabet"): "2",
    ("cyclospec sequence", "--method"): "auto",
    ("cyclospec sequence", "--tolerance"): "0",
    ("cyclospec spectrum", "--tolerance"): "0",
    ("cyclospec spectrum", "--top"): "3",
}
#: Options with which a condition on a value does not hold
OTHER_VALUES = {
    "--alphabet standard": "--alphabet 57,71",
    "--method auto": "--method ideal",
}


def commands() -> dict[str, click.Command]:
    """All commands, those of groups by both names."""
    found = {name: import_module(f"debruijn_gpu.cli.{name}").command for name in COMMANDS}
    for name, command in list(found.items()):
        if isinstance(command, click.Group):
            found |= {f"{name} {sub}": each for sub, each in command.commands.items()}
    return found


def all_rules():
    for name, command in commands().items():
        for rule in getattr(command.callback, "option_rules", ()):
            yield name, rule


def given(name: str, condition: str) -> list[str]:
    """The words of a command line that make a condition hold."""
    option, _, value = condition.partition(" ")
    if not option.startswith("-"):
        return [value or "file"]
    options = commands()[name].params
    takes_value = next(each for each in options if option in (*each.opts, *each.secondary_opts)).is_flag is False
    if option in ("--quiet", "--verbose"):
        takes_value = False
    return [option, value or OWN_VALUES.get((name, option)) or VALUES[option]] if takes_value else [option]


def _other_kind(kinds: list[str]) -> str:
    """A kind of graph that is none of some."""
    return next(each for each in ("cactus", "debruijn") if each not in kinds)


def breaking(name: str, rule, other: str | None) -> list[str]:
    """A command line that breaks a rule."""
    words = [*name.split(), *ARGUMENTS.get(name, "").split(), *given(name, rule.option)]
    if other is not None:
        words += given(name, other)
    if name == "generate":
        kinds = [each.removeprefix("KIND ") for each in rule.others]
        words += ["-n", "3"] if other in rule.others and other.startswith("KIND") else ["-n", "3", _other_kind(kinds)]
    if rule.needed:
        for condition in rule.others:
            words += OTHER_VALUES.get(condition, "").split()
    return words


@pytest.mark.parametrize("name", dict.fromkeys(name for name, _rule in all_rules()))
def test_options_without_effect_are_refused(dbg, name):
    for rule in (rule for of, rule in all_rules() if of == name):
        for other in (None,) if rule.needed else rule.others:
            words = breaking(name, rule, other)
            code, out, err = dbg(*words)
            assert (code, out, len(err.splitlines())) == (2, "", 2), words
            assert "exclude each other" in err or "has no effect without" in err, words
            for option in (rule.option, *([other] if other else rule.others)):
                assert option in err, words


def test_every_command_has_the_rules_of_its_options():
    """The pairs that are known, so that none is lost."""
    found = {(name, rule.option, other) for name, rule in all_rules() for other in rule.others}
    assert ("graph", "--damping", "--pagerank") in found
    assert ("generate", "--max-degree", "KIND random") in found
    assert len(found) > 140
    for name in COMMANDS:
        if name not in ("debruijn", "cyclospec", "kmers", "color", "help", "completion"):
            assert (name, "--quiet", "--verbose") in found


@pytest.mark.parametrize(
    "words",
    [
        "graph {rings} --pagerank --damping 0.85 --tolerance 1e-6 --iterations 100 --unweighted",
        "euler {rings} --path --algorithm hierholzer --backend cpu",
        "generate random -n 3 --max-degree 2 --seed 1",
        "generate eulerian -n 3 --max-degree 2 --path",
        "generate cactus -n 9 --cycle-edges 3",
        "generate debruijn -n 3 --alphabet 4",
        "generate genome -n 1000 -k 31 --repeats 0 --repeat-length 10",
        "debruijn -n 3 --method random --seed 1",
        "debruijn -n 3 --forbid 00 --max-run 2",
        "debruijn -n 3 --length --linear",
        "simulate {genome} --depth 1 --paired --insert 300 --insert-sd 3",
        "cyclospec count 1000 --cyclic --mirrored --alphabet standard --mass integer",
        "histogram {numbers} --bins 3",
        "draw {rings} --format dot --spanning-tree --wash --around a --radius 1",
        "draw {rings} --format dot --circuits --stage matched",
    ],
)
def test_options_with_an_effect_are_taken(dbg, tmp_path, rings, words):
    numbers = tmp_path / "numbers"
    numbers.write_text("1\n2\n")
    genome = tmp_path / "genome.fa"
    genome.write_text(">a\n" + "ACGTTGCATT" * 100 + "\n")
    assert dbg(*words.format(rings=rings, numbers=numbers, genome=genome).split(), "-q")[0] == 0


def context(*words: str) -> click.Context:
    command = click.Command(
        "x",
        params=[
            click.Argument(["source"], metavar="[FILE]", required=False),
            click.Option(["--flag/--no-flag"], default=True),
            click.Option(["--many"], multiple=True),
            click.Option(["--number"], default=3),
            click.Option(["--text"]),
        ],
    )
    return command.make_context("x", list(words))


@pytest.mark.parametrize(
    ("rule", "broken", "sound"),
    [
        (excludes("--text", "FILE"), "--text a b", "--text a"),
        (excludes("--text", "--no-flag"), "--text a --no-flag", "--text a --flag"),
        (excludes("--text", "--flag"), "--text a --flag", "--text a"),
        (excludes("--text", "--number"), "--text a --number 3", "--text a"),
        (excludes("--text", "--number 3"), "--text a", "--text a --number 4"),
        (excludes("--many", "--text"), "--many 1 --many 2 --text a", "--text a"),
        (needs("--text", "--many", "--number 4"), "--text a --number 3", "--text a --number 4"),
        (needs("--number", "--text"), "--number 3", ""),
        (*exclusive("--text", "--many"), "--text a --many b", "--many b"),
    ],
)
def test_conditions(rule, broken, sound):
    with pytest.raises(UsageError, match=rule.option):
        check_rules(context(*broken.split()), [rule])
    check_rules(context(*sound.split()), [rule])
