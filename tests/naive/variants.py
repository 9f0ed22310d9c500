"""Variants of a sequence, the slow and obvious way."""

from __future__ import annotations


def replaced(sequence: str, start: int, stop: int, allele: str) -> str:
    """The sequence with other bases from start to stop."""
    return sequence[:start] + allele + sequence[stop:]


def leftmost(sequence: str, start: int, stop: int, allele: str) -> tuple[int, int, str]:
    """The first place at which an insertion or deletion gives the same sequence, with the base before it."""
    changed = replaced(sequence, start, stop, allele)
    n_old, n_new = stop - start, len(allele)
    assert min(n_old, n_new) == 0
    for at in range(len(sequence) - n_old + 1):
        bases = changed[at : at + n_new]
        if replaced(sequence, at, at + n_old, bases) == changed:
            return (at - 1, at + n_old, sequence[at - 1] + bases) if at else (at, at + n_old, bases)
    raise AssertionError("not there")
