"""Strings of paired k-mers: Euler paths of the paired de Bruijn graph whose two strings agree.

A (k, d)-mer is two k-mers of a string with d letters between them. Vertices of the paired de Bruijn graph are pairs of
(k-1)-mers, edges are the pairs of k-mers. An Euler path spells two strings, and is one of the string that is looked for
if the second string, k + d letters further on, continues the first (Medvedev et al. 2011; Compeau and Pevzner,
Bioinformatics Algorithms, chapter 3). Paths are walked edge by edge, and given up at the first letter that disagrees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from debruijn_gpu.errors import NotEulerianError, ParameterError
from debruijn_gpu.euler.listing import EdgeClasses, euler_trails

#: Edges that are tried for a string: about half a minute
MOST_STEPS = 20_000_000

Pair = tuple[str, str]


def paired_strings(pairs: Sequence[Pair], gap: int, most_steps: int = MOST_STEPS) -> Iterator[str]:
    """Yield all strings whose (k, d)-mers are some paired k-mers, each as often as it is given.

    Parameters
    ----------
    pairs : sequence of (str, str)
        K-mers of one length k, at least 1; in any order, at least ``gap + 1`` of them.
    gap : int
        d, the letters between both k-mers of a pair; 0 or more.
    most_steps : int
        Edges that are tried from one string to the next.

    Raises
    ------
    NotEulerianError
        If the paired de Bruijn graph has no Euler path.
    ParameterError
        If there are too few pairs, or the next string is not found within ``most_steps``.
    """
    if len(pairs) <= gap:
        raise ParameterError(
            f"{len(pairs):,} pairs with a gap of {gap:,} letters: letters of the string are in no k-mer",
            "give all pairs of the string, at least one more than the gap has letters (--pairs)",
        )
    graph = _PairedGraph(pairs)
    last_letters = [first[-1] for first, _ in graph.labels]
    letters = [second[0] for _, second in graph.labels]
    steps = 0

    def agrees(trail: list[int], edge: int) -> bool:
        """Whether the letter that an edge adds to the first string is the one that the second string has there."""
        nonlocal steps
        steps += 1
        if steps > most_steps:
            raise ParameterError(
                f"--pairs: no string was found in {most_steps:,} steps, as too many paths differ late",
                "give longer k-mers, which repeat less often",
            )
        at = len(trail) - 1 - gap
        return at < 0 or last_letters[edge] == letters[trail[at]]

    for start, last in graph.ends():
        for trail in euler_trails(graph.classes, len(pairs), start, last, allowed=agrees):
            yield graph.spelled(trail, gap)
            steps = 0


class _PairedGraph:
    """The paired de Bruijn graph, equal pairs as one class.

    Attributes
    ----------
    labels : list of (str, str)
        The pair of each class, in the order of the vertices that it leads from, and then alphabetically.
    classes : EdgeClasses
    """

    def __init__(self, pairs: Sequence[Pair]) -> None:
        counts = Counter(pairs)
        self.labels = sorted(counts)
        ends = [((a[:-1], b[:-1]), (a[1:], b[1:])) for a, b in self.labels]
        self._names = sorted({vertex for both in ends for vertex in both})
        number = {name: place for place, name in enumerate(self._names)}
        rows = sorted(
            (number[tail], label, number[head]) for (tail, head), label in zip(ends, self.labels, strict=True)
        )
        self.labels = [label for _, label, _ in rows]
        tails, heads = [row[0] for row in rows], [row[2] for row in rows]
        n_out = Counter(tails)
        row_ptr = [0, *accumulate(n_out[vertex] for vertex in range(len(self._names)))]
        places = list(range(len(rows)))
        self.classes = EdgeClasses(row_ptr, tails, heads, [counts[label] for label in self.labels], places)

    def ends(self) -> list[tuple[int, int]]:
        """Starts and ends of Euler paths; of a balanced graph, each vertex is both."""
        self._check_connected()
        surplus = [0] * len(self._names)
        for tail, head, count in zip(self.classes.tails, self.classes.heads, self.classes.counts, strict=True):
            surplus[tail] += count
            surplus[head] -= count
        unbalanced = [vertex for vertex, more in enumerate(surplus) if more]
        if not unbalanced:
            return [(vertex, vertex) for vertex in range(len(surplus))]
        if sorted(surplus[vertex] for vertex in unbalanced) != [-1, 1]:
            names = ", ".join("|".join(self._names[vertex]) for vertex in unbalanced[:5])
            more = ", ..." if len(unbalanced) > 5 else ""
            raise NotEulerianError(
                f"the paired de Bruijn graph has no Euler path: not as many pairs begin as end with {names}{more}",
                "give all pairs of one string, each as often as it occurs",
            )
        start, last = sorted(unbalanced, key=surplus.__getitem__, reverse=True)
        return [(start, last)]

    def _check_connected(self) -> None:
        """Raise NotEulerianError if a vertex cannot be reached from another one, along edges of either direction."""
        near: list[list[int]] = [[] for _ in self._names]
        for tail, head in zip(self.classes.tails, self.classes.heads, strict=True):
            near[tail].append(head)
            near[head].append(tail)
        seen, waiting = {0}, [0]
        while waiting:
            for vertex in near[waiting.pop()]:
                if vertex not in seen:
                    seen.add(vertex)
                    waiting.append(vertex)
        if len(seen) < len(near):
            other = next(vertex for vertex in range(len(near)) if vertex not in seen)
            names = " and ".join("|".join(self._names[vertex]) for vertex in (0, other))
            raise NotEulerianError(
                f"the paired de Bruijn graph has no Euler path: nothing connects {names}",
                "give all pairs of one string",
            )

    def spelled(self, trail: list[int], gap: int) -> str:
        """The string of a path: what the second string lacks of the first, and the second."""
        a, b = self.labels[trail[0]]
        k = len(a)
        first = a + "".join(self.labels[edge][0][-1] for edge in trail[1 : gap + 1])
        return first[: k + gap] + b + "".join(self.labels[edge][1][-1] for edge in trail[1:])
