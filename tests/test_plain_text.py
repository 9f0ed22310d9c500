"""Nothing that a terminal obeys gets out in a message."""

from __future__ import annotations

import logging

import pytest

from debruijn_gpu import log, plain_text
from debruijn_gpu.plain_text import one_line, several_lines

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


@pytest.mark.parametrize("code", [*range(32), *range(127, 160), 0x200E, 0x200F, *range(0x202A, 0x202F), 0x2069])
def test_controls_are_escaped(code):
    assert one_line(chr(code)).isprintable()


def test_several_lines():
    assert several_lines("a\n\x1bb\n") == "a\n\\x1bb\n"


def test_print_message(capsys):
    plain_text.print_message("a\nb", "\x1b")
    assert capsys.readouterr().err == "a\\nb\n\\x1b\n"


def test_log_on_the_terminal_and_in_a_file(tmp_path, capsys):
    name = b"a\n\x1b[2J\xff".decode(errors="surrogateescape")
    log.configure()
    with log.log_file(tmp_path / "log"):
        logging.getLogger("dbg").info("input: %s", name)
    assert capsys.readouterr().err == "[dbg] input: a\\n\\x1b[2J\\xff\n"
    (line,) = (tmp_path / "log").read_text().splitlines()
    assert line.endswith(" input: a\\n\\x1b[2J\\xff")
