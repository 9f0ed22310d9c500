"""Nothing that a terminal obeys gets out in a message."""

from __future__ import annotations

import json
import logging
import os

import pytest

from debruijn_gpu.run import log, plain_text
from debruijn_gpu.run.plain_text import counted, one_line, shorten

HOSTILE = b"a\n\x1b[2J\xff\xc2\x9b31m".decode(errors="surrogateescape") + "\u202e"
ESCAPED = "a\\n\\x1b[2J\\xff\\x9b31m\\u202e"

SHOWN = {
    "a b": "a b",
    "é Ω 中 😀": "é Ω 中 😀",
    "\x1b[31mred": "\\x1b[31mred",
    "a\nb\r\tc": "a\\nb\\r\\tc",
    "\x7f\x9b1m": "\\x7f\\x9b1m",
    "gpj.\u202eexe": "gpj.\\u202eexe",
    "\u2028\u2066": "\\u2028\\u2066",
    b"a\xff.fq".decode(errors="surrogateescape"): "a\\xff.fq",
    "\ud800": "\\ud800",
}


@pytest.mark.parametrize(("text", "shown"), SHOWN.items())
def test_one_line(text, shown):
    assert one_line(text) == shown
    assert one_line(shown) == shown


def test_controls_are_escaped():
    for code in (*range(32), *range(127, 160), 0x200E, 0x200F, *range(0x202A, 0x202F), 0x2069):
        assert one_line(chr(code)).isprintable(), hex(code)


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("", 40, ""),
        ("word", 4, "word"),
        ("words", 4, "word..."),
        (b"words", 4, "word..."),
        ("9" * 5000, 40, "9" * 40 + "..."),
        (b"S\ta\xff\n", 40, "S\\ta\\xff\\n"),
        ("a\nb", 40, "a\\nb"),
        ("é".encode(), 40, "é"),
    ],
)
def test_texts_of_inputs_are_cut_and_escaped(text, most, shown):
    assert shorten(text, most) == shown
    assert shown.isprintable()


def test_nouns_agree_with_their_numbers():
    assert [counted(n, "contig") for n in (0, 1, 2000)] == ["0 contigs", "1 contig", "2,000 contigs"]
    assert [counted(n, "vertex", "vertices") for n in (1, 2)] == ["1 vertex", "2 vertices"]


def test_print_message(capsys):
    plain_text.print_message("a\nb", "\x1b")
    assert capsys.readouterr().err == "a\\nb\n\\x1b\n"


def test_log_on_the_terminal_and_in_a_file(tmp_path, capsys):
    for handler in [handler for handler in log.logger.handlers if "pytest" in type(handler).__module__]:
        log.logger.removeHandler(handler)  # it would put the raw name into the report of the test
    name = b"a\n\x1b[2J\xff".decode(errors="surrogateescape")
    log.configure()
    with log.log_file(tmp_path / "log"):
        logging.getLogger("dbg").info("input: %s", name)
    assert capsys.readouterr().err == "[dbg] input: a\\n\\x1b[2J\\xff\n"
    (line,) = (tmp_path / "log").read_text().splitlines()
    assert line.endswith(" input: a\\n\\x1b[2J\\xff")


@pytest.mark.parametrize(
    "line",
    [
        *(
            "assemble *",
            "unitigs *",
            "count *",
            "spectrum *",
            "stats *",
            "simulate *",
            "report *",
            "report x --quast *",
        ),
        *("sort *", "join * x", "join x *", "graph *", "euler *", "draw *", "debruijn verify *", "debruijn --words *"),
        *("cyclospec sequence *", "cyclospec score A *", "cyclospec --masses * A", "sort x -o */y", "count x --plot *"),
        *("assemble x -o */y", "*", "count -*", "count --*", "sort --key *", "sort --format *", "graph x --convert *"),
        *(
            "bench *",
            "bench --sizes *",
            "draw x --around *",
            "generate * -n 3",
            "lookandsay * -n 1",
            "debruijn locate *",
        ),
        *("cyclospec *", "cyclospec count *", "assemble x --name *", "count x -m *", "assemble x -k *", "count -- * *"),
    ],
)
def test_messages_about_hostile_arguments(dbg, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_text(
        ">r\n" + "ACGT" * 30 + "\n" if line.split()[0] not in ("join", "sort", "graph") else "1 2\n"
    )
    code, out, err = dbg(*line.replace("*", HOSTILE).split(" "))
    assert code not in (0, 1)
    assert out == ""
    assert all(text.isprintable() for text in err.split("\n"))
    assert all(text.startswith(("dbg: ", "     ", "[dbg] ")) for text in err.splitlines())


def test_tables_about_hostile_names(dbg, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = os.fsencode(HOSTILE)
    with open(name, "wb") as file:
        file.write(b">r\nACGT\n")
    for file_format in ([], ["--tsv"]):
        code, out, _ = dbg("stats", HOSTILE, *file_format)
        assert code == 0
        assert out.splitlines()[0].split()[-1] == ESCAPED
        assert len({len(text.split("\t")) for text in out.splitlines()}) == 1
    code, out, _ = dbg("stats", HOSTILE, "--json")
    assert code == 0
    assert json.loads(out)["assemblies"][0]["name"] == HOSTILE
    assert dbg("report", HOSTILE, "-o", "page.html")[0] == 0


def test_report_on_a_graph_with_hostile_names(dbg, tmp_path):
    path = tmp_path / "graph.txt"
    path.write_text("a\x9b31m\u202e -> b, c\n")
    for file_format in ([], ["--tsv"], ["--json"]):
        code, out, _ = dbg("graph", path, *file_format)
        assert code == 0
        assert all(text.replace("\t", "").isprintable() for text in out.split("\n"))
