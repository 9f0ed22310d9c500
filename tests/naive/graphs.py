"""Graphs as text, the slow and obvious way: a graph is a dict of lists of names, in the order of its vertices."""

from __future__ import annotations

import re
from itertools import chain

_NUMBER = re.compile(r"(0|[1-9][0-9]{0,17})", re.ASCII)


def parse_rows(text: str) -> dict[str, list[str]]:
    """Lines ``a -> b, c``."""
    rows = []
    for line in _records(text):
        tail, heads = line.split("->")
        rows.append((tail.strip(" \t"), [head.strip(" \t") for head in heads.split(",")] if heads.strip(" \t") else []))
    return collect(rows)


def parse_edges(text: str, separator: str | None) -> dict[str, list[str]]:
    """Parse one edge per line; columns after the second are skipped."""
    columns = [[word.strip(" \t") for word in line.split(separator)] for line in _records(text)]
    return collect([(words[0], [words[1]]) for words in columns])


def _records(text: str) -> list[str]:
    blanks = " \t" if "->" in text else " "
    lines = [line.removesuffix("\r").strip(blanks) for line in text.split("\n")]
    return [line for line in lines if line.strip(" \t") and line.strip(" \t")[0] not in "#%"]


def collect(rows: list[tuple[str, list[str]]]) -> dict[str, list[str]]:
    """Rows of one vertex together; vertices in numeric order if all are numbers, else those with rows first."""
    names = list(dict.fromkeys(chain((tail for tail, _heads in rows), *(heads for _tail, heads in rows))))
    if all(_NUMBER.fullmatch(name) for name in names):
        names.sort(key=int)
    graph: dict[str, list[str]] = {name: [] for name in names}
    for tail, heads in rows:
        graph[tail] += heads
    return graph


def row_text(graph: dict[str, list[str]]) -> str:
    """Lines ``a -> b, c``."""
    return "".join(f"{tail} -> {', '.join(heads)}".rstrip(" ") + "\n" for tail, heads in graph.items())


def edges(graph: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Tail and head of each edge."""
    return [(tail, head) for tail, heads in graph.items() for head in heads]


def reverse(graph: dict[str, list[str]]) -> dict[str, list[str]]:
    """Every edge turned round."""
    turned: dict[str, list[str]] = {name: [] for name in graph}
    for tail, head in edges(graph):
        turned[head].append(tail)
    return turned
