"""Mistyped names of commands: the names that are meant are suggested, and nothing is computed."""

from __future__ import annotations

import pytest

from debruijn_gpu.cli import COMMANDS, cyclospec, debruijn
from debruijn_gpu.cli.groups import close_names, edit_distance


@pytest.mark.parametrize(
    ("first", "second", "edits"),
    [("", "", 0), ("a", "", 1), ("", "abc", 3), ("scor", "score", 1), ("assembel", "assemble", 1), ("ca", "abc", 3),
     ("kitten", "sitting", 3), ("sequnece", "sequence", 1), ("SCORE", "score", 5)],
)  # fmt: skip
def test_edit_distance(first, second, edits):
    assert edit_distance(first, second) == edit_distance(second, first) == edits


def test_names_beyond_two_edits_are_not_suggested():
    assert close_names("abc", ["xyz", "abxyz", "abcde", "ab"]) == ["ab"]
    assert close_names("abc", ["abd", "abe", "a"]) == ["abd", "abe"]
    assert close_names("abc", ["xyz", ""]) == []


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
    [("", "no such command"), ("debruijn", "no such command"), ("cyclospec", "neither a command nor a peptide")],
)
def test_help_as_a_word_is_answered_with_the_option(dbg, group, kind):
    path = f"dbg {group}".strip()
    code, out, err = dbg(*group.split(), "help")
    assert (code, out) == (2, "")
    assert err == f"dbg: {path} help: {kind}\n     '{path} --help' lists the commands\n"


@pytest.mark.parametrize("names", [COMMANDS, debruijn.command.commands, cyclospec.command.commands])
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
