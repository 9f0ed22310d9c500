"""The table of faults: each row names tests that exist, or benchmarks and their figures."""

from __future__ import annotations

import ast
import re

import pytest

from tests.docs.pages import PAGES, ROOT

PAGE = "docs/explanation/robustness.md"
_ROW = re.compile(r"^\| (?!---)(.+) \|$", re.MULTILINE)
_PROOF = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
_HEADER = ("what is done to it", "what it does", "bytes lost", "proof")


def rows() -> list[list[str]]:
    found = [row.split(" | ") for row in _ROW.findall(PAGES[PAGE])]
    return [row for row in found if len(row) == len(_HEADER) and tuple(row) != _HEADER]


def test_the_table_has_rows():
    assert len(rows()) > 20


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0][:40])
def test_each_row_names_tests_that_exist(row):
    assert row[2] == "none"
    named = _PROOF.findall(row[3])
    assert named, row
    for path, name in named:
        text = (ROOT / path).read_text()
        functions = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
        assert not name or name in functions, f"{path} has no {name}"
