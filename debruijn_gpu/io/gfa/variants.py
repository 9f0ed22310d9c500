"""Write variants of contigs: as a table, and as a graph in which both alleles are segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import BinaryIO

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.variants import Variant
from debruijn_gpu.io.gfa.contigs import with_circular_links

COLUMNS = ("contig", "position", "reference", "alternative", "reference_depth", "alternative_depth", "k")


def variants_tsv(variants: Sequence[Variant]) -> bytes:
    """Format ``variants.tsv``: a header, and one variant per line, with positions from 1 on as in VCF."""
    rows = ["\t".join(COLUMNS)]
    for one in variants:
        alleles = one.reference.decode(), one.alternative.decode()
        depths = f"{one.reference_depth:.1f}", f"{one.alternative_depth:.1f}"
        rows.append("\t".join((f"contig_{one.contig + 1}", str(one.position + 1), *alleles, *depths, str(one.k))))
    return "".join(row + "\n" for row in rows).encode()


@dataclass(frozen=True)
class _Branch:
    """Bases start..stop of a contig and their alternative: segment ``v<row>``, or a link if that is empty.

    ``row`` is the line of the variant in ``variants.tsv``, from 1 on without the header.
    """

    row: int
    start: int
    stop: int
    bases: bytes
    depth: float
    reference_depth: float


def write_variants_gfa(stream: BinaryIO, contigs: Contigs, variants: Sequence[Variant]) -> None:
    """Write contigs, cut where variants begin and end, with a segment for each alternative allele.

    Contig i without variants is segment ``i``; the parts of another one are ``i.1``, ``i.2``, ... and follow each other
    without an overlap, like the alternative alleles ``v1``, ``v2``, ... beside them. The links between contigs overlap
    by k - 1 bases: variants that the first or last k - 1 bases of a contig have are in the table only.

    Parameters
    ----------
    stream : BinaryIO
    contigs : Contigs
        The reported ones.
    variants : sequence of Variant
        Sorted.
    """
    branches = {
        contig: [branch for branch in (_branch(row, one) for row, one in group) if _is_inside(branch, contig, contigs)]
        for contig, group in groupby(enumerate(variants, 1), key=lambda item: item[1].contig)
    }
    cuts = [_cuts(branches.get(i, []), length) for i, length in enumerate(contigs.lengths.tolist())]
    stream.write(b"H\tVN:Z:1.0\n")
    for i in range(len(contigs)):
        stream.writelines(_segments(i, cuts[i], branches.get(i, []), contigs))
    for i in range(len(contigs)):
        stream.writelines(_links_within(i, cuts[i], branches.get(i, [])))
    stream.writelines(_links_between(cuts, contigs))
    for i in range(len(contigs)):
        names = [_name(i, part, cuts[i]) for part in range(len(cuts[i]) - 1)]
        stream.write(b"P\tcontig_%d\t%s\t*\n" % (i + 1, b",".join(name + b"+" for name in names)))


def _branch(row: int, variant: Variant) -> _Branch:
    """Cut the base off that an insertion or deletion shares with the contig."""
    start, stop = variant.position, variant.position + len(variant.reference)
    bases = variant.alternative
    if variant.reference[:1] == bases[:1]:
        start, bases = start + 1, bases[1:]
    return _Branch(row, start, stop, bases, variant.alternative_depth, variant.reference_depth)


def _is_inside(branch: _Branch, contig: int, contigs: Contigs) -> bool:
    """Whether a branch leaves the bases alone by which contigs overlap, and has bases before and behind it."""
    overlap = max(1, contigs.k - 1)
    return branch.start >= overlap and branch.stop <= int(contigs.lengths[contig]) - overlap


def _cuts(branches: list[_Branch], length: int) -> list[int]:
    """List where the parts of a contig begin, and its end."""
    return sorted({0, length, *(at for branch in branches for at in (branch.start, branch.stop))})


def _name(contig: int, part: int, cuts: list[int]) -> bytes:
    return b"%d.%d" % (contig + 1, part + 1) if len(cuts) > 2 else b"%d" % (contig + 1)


def _segments(i: int, cuts: list[int], branches: list[_Branch], contigs: Contigs) -> Iterator[bytes]:
    """Yield the parts of a contig, those of reference alleles with their own depth, and its alternative alleles."""
    begin, depth = int(contigs.offsets[i]), contigs.kmer_counts[i] / max(1, contigs.n_kmers[i])
    depths = {(branch.start, branch.stop): branch.reference_depth for branch in branches}
    for part, (start, stop) in enumerate(pairwise(cuts)):
        bases = contigs.text[begin + start : begin + stop].tobytes()
        own = depths.get((start, stop), depth)
        yield b"S\t%s\t%s\tLN:i:%d\tDP:f:%.2f\n" % (_name(i, part, cuts), bases, len(bases), own)
    for branch in branches:
        if branch.bases:
            yield b"S\tv%d\t%s\tLN:i:%d\tDP:f:%.2f\n" % (branch.row, branch.bases, len(branch.bases), branch.depth)


def _links_within(i: int, cuts: list[int], branches: list[_Branch]) -> Iterator[bytes]:
    """Yield the links between the parts of a contig and the alleles beside them, each once."""
    names = [_name(i, part, cuts) for part in range(len(cuts) - 1)]
    links = dict.fromkeys(pairwise(names))
    parts = {at: part for part, at in enumerate(cuts)}
    for branch in branches:
        before, behind = names[parts[branch.start] - 1], names[parts[branch.stop]]
        allele = [b"v%d" % branch.row] if branch.bases else []
        links |= dict.fromkeys(pairwise([before, *allele, behind]))
    for tail, head in links:
        yield b"L\t%s\t+\t%s\t+\t0M\n" % (tail, head)


def _links_between(cuts: list[list[int]], contigs: Contigs) -> Iterator[bytes]:
    """Yield the links between contigs, from the last part of one or to its first one, in either strand."""
    links = with_circular_links(contigs)
    is_circular = (links[:, 0] == links[:, 1]) & contigs.circular[links[:, 0] >> 1]
    for (tail, head), is_own in zip(links.tolist(), is_circular.tolist(), strict=True):
        last, first = _end(tail, tail & 1 == 0, cuts[tail >> 1]), _end(head, head & 1 == 1, cuts[head >> 1])
        yield b"L\t%s\t%s\t%dM\n" % (last, first, 0 if is_own else contigs.k - 1)


def _end(vertex: int, is_end: bool, cuts: list[int]) -> bytes:
    """Name the first or last part of an oriented contig, and its strand."""
    name = _name(vertex >> 1, len(cuts) - 2 if is_end else 0, cuts)
    return name + (b"\t-" if vertex & 1 else b"\t+")
