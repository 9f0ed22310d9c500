"""Genomes with repeats, and pairs of reads of them."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.result import Assembly
from debruijn_gpu.assembly_dir.directory import OutputDirectory
from debruijn_gpu.assembly_dir.writing import write_assembly
from debruijn_gpu.pipeline import assemble
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.options import RunOptions
from tests.naive.kmers import reverse_complement

READ_BP = 100
RUN = RunOptions(threads=2)

Pair = tuple[str, str]


def random_bases(length: int, seed: int) -> str:
    return "".join(random.Random(seed).choices("ACGT", k=length))


def with_repeat(length: int, repeat_bp: int, places: Iterable[int], seed: int = 1) -> str:
    """Random bases with copies of one repeat at places."""
    genome = random_bases(length, seed)
    repeat = random_bases(repeat_bp, seed + 1000)
    for place in places:
        genome = genome[:place] + repeat + genome[place + repeat_bp :]
    return genome


def pairs_of(
    genome: str,
    depth: float = 30,
    insert_bp: int = 400,
    spread_bp: float = 20,
    orientation: str = "FR",
    seed: int = 1,
    read_bp: int = READ_BP,
    is_circular: bool = False,
    without: tuple[int, int] | None = None,
) -> list[Pair]:
    """Pairs without errors. No read has a base of the interval `without`."""
    chance = random.Random(seed)
    n = int(depth * len(genome) / (2 * read_bp))
    text = genome + genome if is_circular else genome
    found: list[Pair] = []
    while len(found) < n:
        size = max(read_bp, round(chance.gauss(insert_bp, spread_bp)))
        start = chance.randrange(len(genome) if is_circular else len(genome) - size + 1)
        stop = start + size
        fragment = text[start:stop]
        turned = chance.random() < 0.5
        if without is not None and any(
            first < without[1] and first + read_bp > without[0] for first in (start, stop - read_bp)
        ):
            n -= 1
            continue
        if turned:
            fragment = reverse_complement(fragment)
        left, right = fragment[:read_bp], fragment[-read_bp:]
        found.append(
            {
                "FR": (left, reverse_complement(right)),
                "RF": (reverse_complement(left), right),
                "FF": (left, right),
            }[orientation]
        )
    return found


def write_mates(place: Path, pairs: list[Pair], name: str = "reads") -> tuple[str, str]:
    """Write pairs to two files of mates."""
    paths = []
    for mate in range(2):
        path = place / f"{name}_{mate + 1}.fasta"
        path.write_text("".join(f">{i}/{mate + 1}\n{pair[mate]}\n" for i, pair in enumerate(pairs)))
        paths.append(str(path))
    return paths[0], paths[1]


def write_interleaved(place: Path, pairs: list[Pair]) -> str:
    path = place / "interleaved.fasta"
    path.write_text(
        "".join(f">{i}/{mate + 1}\n{read}\n" for i, pair in enumerate(pairs) for mate, read in enumerate(pair))
    )
    return str(path)


def paired(place: Path, *libraries: list[Pair]) -> ReadInputs:
    """Read inputs of some libraries."""
    files = [write_mates(place, pairs, f"library_{number}") for number, pairs in enumerate(libraries)]
    return ReadInputs(first=tuple(one for one, _ in files), second=tuple(two for _, two in files))


def assembled(place: Path, *libraries: list[Pair], **options) -> Assembly:
    place.mkdir(parents=True, exist_ok=True)
    return assemble(paired(place, *libraries), AssembleOptions(**options), RUN)


def files_of(inputs: ReadInputs, place: Path, run: RunOptions = RUN, **options) -> dict[str, bytes]:
    """All files of an assembly but the log and the page."""
    chosen = AssembleOptions(**options)
    with OutputDirectory(place) as directory:
        write_assembly(assemble(inputs, chosen, run), chosen, directory)
    return {path.name: path.read_bytes() for path in sorted(place.iterdir())}


def contigs_of(assembly: Assembly) -> list[str]:
    """Sequences of the reported contigs."""
    return [assembly.contigs.sequence(i).decode() for i in range(assembly.n_reported)]


def scaffolds_of(assembly: Assembly) -> list[str]:
    assert assembly.scaffolds is not None
    spelled = assembly.scaffolds.spelled(0, len(assembly.scaffolds), assembly.contigs)
    return [spelled.sequence(i).decode() for i in range(len(assembly.scaffolds))]


def is_part(sequence: str, genome: str) -> bool:
    """Whether a sequence is part of a genome, on either strand."""
    return sequence in genome or reverse_complement(sequence) in genome


def is_rotation(sequence: str, genome: str) -> bool:
    """Whether a sequence is a circular genome, from any base on either strand."""
    return len(sequence) == len(genome) and is_part(sequence, genome + genome)
