"""Lines of GAF and PAF checked against the sequences they name, and exhaustive alignment along walks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.naive.kmers import reverse_complement

MISMATCH, END_BONUS = 4, 10


@dataclass(frozen=True)
class Alignment:
    """A line of GAF or PAF."""

    name: str
    length: int
    start: int
    end: int
    strand: str
    path: str
    path_length: int
    path_start: int
    path_end: int
    n_matches: int
    n_aligned: int
    quality: int
    tags: dict[str, str]


def parse(text: str) -> list[Alignment]:
    """Parse lines of 12 columns and tags."""
    found = []
    for line in text.splitlines():
        fields = line.split("\t")
        tags = {tag.split(":")[0]: tag.split(":", 2)[2] for tag in fields[12:]}
        numbers = [int(field) for field in (*fields[1:4], *fields[6:12])]
        found.append(Alignment(fields[0], *numbers[:3], fields[4], fields[5], *numbers[3:], tags))
    return found


def steps_of(path: str) -> list[tuple[str, bool]]:
    """Segments of a path of GAF, and whether each is reverse-complemented."""
    assert re.fullmatch(r"([<>][^<>]+)+", path)
    return [(step[1:], step[0] == "<") for step in re.findall(r"[<>][^<>]+", path)]


def spell(path: str, segments: dict[str, str], overlaps: dict[tuple, int]) -> str:
    """Spell a path; ``overlaps`` maps a pair of steps to the bases that they share."""
    spelled, before = "", None
    for step in steps_of(path):
        sequence = reverse_complement(segments[step[0]]) if step[1] else segments[step[0]]
        spelled += sequence if before is None else sequence[overlaps[before, step] :]
        before = step
    return spelled


def check(found: Alignment, read: str, target: str) -> None:
    """Check the columns of an alignment without gaps to a target."""
    part, onto = read[found.start : found.end], target[found.path_start : found.path_end]
    if found.strand == "-":
        onto = reverse_complement(onto)
    n_mismatches = sum(a != b or a not in "ACGT" for a, b in zip(part, onto, strict=True))
    assert (found.length, found.path_length) == (len(read), len(target))
    assert (found.n_aligned, found.n_matches) == (len(part), len(part) - n_mismatches)
    assert found.quality == 60
    assert found.tags["NM"] == str(n_mismatches)
    assert abs(float(found.tags["dv"]) - n_mismatches / len(part)) <= 0.0001
    assert found.tags["cg"] == f"{len(part)}M"


def parse_gfa(text: str) -> tuple[dict[str, str], dict[tuple, int]]:
    """Segments of a GFA file, and overlaps of its links in both directions."""
    segments, overlaps = {}, {}
    for line in text.splitlines():
        fields = line.split("\t")
        if fields[0] == "S":
            segments[fields[1]] = fields[2]
        elif fields[0] == "L":
            bases = 0 if fields[5] == "*" else int(fields[5][:-1])
            tail, head = (fields[1], fields[2] == "-"), (fields[3], fields[4] == "-")
            overlaps[tail, head] = overlaps[(head[0], not head[1]), (tail[0], not tail[1])] = bases
    return segments, overlaps


def highest_scores(
    read: str, vertex: int, zero: int, segments: list[str], links: dict[tuple[int, int], int]
) -> tuple[int, int]:
    """Find the highest score of an interval of a read along any walk through a vertex at a place.

    Vertices are numbered as in `LinkedSegments`; ``links`` has both directions of each link.

    Returns
    -------
    int, int
        Of intervals with a base on the vertex, and of all.
    """

    def spelled(v: int) -> str:
        return reverse_complement(segments[v >> 1]) if v & 1 else segments[v >> 1]

    def extensions(v: int, at: int, length: int):
        """Bases behind a vertex that ends at a position, along each walk up to the end of the read."""
        heads = [(head, overlap) for (tail, head), overlap in links.items() if tail == v]
        if at >= length or not heads:
            yield ""
            return
        yield ""
        for head, overlap in heads:
            new = spelled(head)[overlap:]
            if new:
                for rest in extensions(head, at + len(new), length):
                    yield new + rest

    sequence = spelled(vertex)
    best, best_of_all = 0, 0
    on_vertex = range(zero, zero + len(sequence))
    rights = list(extensions(vertex, zero + len(sequence), len(read)))
    lefts = list(extensions(vertex ^ 1, len(read) - zero, len(read)))
    for left in lefts:
        for right in rights:
            whole = reverse_complement(left) + sequence + right
            for score, interval in interval_scores(read, whole, zero - len(left)):
                best_of_all = max(best_of_all, score)
                if interval.start < on_vertex.stop and interval.stop > on_vertex.start:
                    best = max(best, score)
    return best, best_of_all


def interval_scores(read: str, sequence: str, zero: int):
    """Yield the scores of all intervals of a read on a sequence whose first base is at a position of the read."""
    places = range(max(0, zero), min(len(read), zero + len(sequence)))
    for start in places:
        score = END_BONUS if start == 0 else 0
        for at in range(start, places.stop):
            score += 1 if read[at] == sequence[at - zero] and read[at] in "ACGT" else -MISMATCH
            yield score + (END_BONUS if at == len(read) - 1 else 0), range(start, at + 1)
