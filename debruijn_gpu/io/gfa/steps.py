"""Steps of paths (P lines) and walks (W lines)."""

from __future__ import annotations

import re
from typing import NamedTuple

from debruijn_gpu.io.gfa.tables import GfaTables, Step

_STEP = re.compile(rb"(.+)([+-])", re.DOTALL)
_COMMA, _JUMP = re.compile(rb"(?<=[+-]),"), re.compile(rb"(?<=[+-]);")  # names may hold both, too
_WALK_STEP = re.compile(rb"([><])([^><]+)")


class Steps(NamedTuple):
    """Steps of a path, and after which of them it jumps over a gap instead of following a link."""

    steps: list[Step]
    jumps: set[int]


def path_steps(text: bytes, tables: GfaTables) -> Steps:
    """Split the segments of a P line; words that are no segment with + or - have an empty sign."""
    steps, jumps = list[Step](), set[int]()
    for word in _COMMA.split(text):
        found = _step(word)
        parts = [word] if found.name in tables.segments else _JUMP.split(word)
        jumps.update(range(len(steps), len(steps) + len(parts) - 1))
        steps += map(_step, parts)
    return Steps(steps, jumps)


def _step(word: bytes) -> Step:
    found = _STEP.fullmatch(word)
    return Step(word, b"") if found is None else Step(found[1], found[2])


def walk_steps(text: bytes) -> Steps:
    """Split the segments of a sound W line."""
    return Steps([Step(name, b"+" if mark == b">" else b"-") for mark, name in _WALK_STEP.findall(text)], set())


def walk_name(fields: list[bytes]) -> bytes:
    """Name a walk as PanSN does, by sample, haplotype and sequence, with its interval if that is known."""
    name = b"#".join(fields[:3])
    return name if b"*" in fields[3:5] else b"%b:%b-%b" % (name, fields[3], fields[4])
