"""Unitigs, contraction and spelling, the slow and obvious way.

A graph is a list of rows of heads, its vertices in reverse-complement pairs v and v ^ 1; walks are lists of lists.
"""

from __future__ import annotations

from tests.naive.kmers import reverse_complement, vertex


def bidirected_rows(n_pairs: int, pairs: list[tuple[int, int]]) -> list[list[int]]:
    """Rows of the graph with these edges and their reverse complements, each once."""
    edges = {edge for tail, head in pairs for edge in ((tail, head), (head ^ 1, tail ^ 1))}
    return [sorted(head for tail, head in edges if tail == v) for v in range(2 * n_pairs)]


def unique_successors(rows: list[list[int]]) -> list[int]:
    found = []
    for v, row in enumerate(rows):
        into = [u for w in row[:1] for u, others in enumerate(rows) if w in others]
        found.append(row[0] if len(row) == 1 and into == [v] and row[0] != v ^ 1 else len(rows))
    return found


def reverse_complement_of(walk: list[int]) -> list[int]:
    return [v ^ 1 for v in reversed(walk)]


def both_strands(walks: list[list[int]]) -> list[list[int]]:
    return [strand for walk in walks for strand in (walk, reverse_complement_of(walk))]


def contract(rows: list[list[int]], walks: list[list[int]]) -> list[list[int]]:
    strands = both_strands(walks)
    return [[i for i, other in enumerate(strands) if other[0] in rows[walk[-1]]] for walk in strands]


def choose_walks(walks: list[list[int]], circular: list[bool], is_kept: list[bool] | None) -> list[int]:
    return [
        i
        for i, (walk, is_circular) in enumerate(zip(walks, circular, strict=True))
        if (walk[0] % 2 == 0 if is_circular else walk[0] < reverse_complement_of(walk)[0])
        and (is_kept is None or is_kept[walk[0] // 2])
    ]


def induced_edges(rows: list[list[int]], is_kept: list[bool]) -> list[list[int]]:
    return [[w for w in row if is_kept[v // 2] and is_kept[w // 2]] for v, row in enumerate(rows)]


def spell(kmers: list[str], walks: list[list[int]]) -> list[str]:
    return [vertex(kmers, walk[0]) + "".join(vertex(kmers, v)[-1] for v in walk[1:]) for walk in walks]


def merge_sequences(sequences: list[str], overlap: int, walks: list[list[int]]) -> list[str]:
    strands = [strand for sequence in sequences for strand in (sequence, reverse_complement(sequence))]
    return [strands[walk[0]] + "".join(strands[step][overlap:] for step in walk[1:]) for walk in walks]


def pack(sequences: list[str]) -> list[int]:
    """Words of the two-bit codes of sequences, one after another."""
    text = "".join(sequences)
    digits = ["ACGT".index(base) for base in text + "A" * (-len(text) % 32)]
    return [
        sum(digit << (62 - 2 * i) for i, digit in enumerate(digits[at : at + 32])) for at in range(0, len(text), 32)
    ]
