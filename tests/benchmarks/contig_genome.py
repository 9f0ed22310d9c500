"""Simulate a diploid genome with repeats, as eukaryotes have them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.benchmarks.contig_sets import DataSet

N_CHROMOSOMES = 6
DEPTH = 40
HETEROZYGOUS = 0.01
REPEATED = 0.3
FAMILY_LENGTHS = (300, 1200, 6000)
N_FAMILIES = 40
DIVERGENCE = 0.05
TANDEM_UNIT = 171


def eukaryote_set(directory: Path, n_bases: int, seed: int = 1) -> DataSet:
    """Return reads of both haplotypes of a simulated genome, scored against the first; write it if it is missing."""
    directory.mkdir(parents=True, exist_ok=True)
    haplotypes = (directory / f"eukaryote-{n_bases}-{seed}-a.fa", directory / f"eukaryote-{n_bases}-{seed}-b.fa")
    if not all(path.exists() for path in haplotypes):
        rng = np.random.default_rng(seed)
        families = repeat_families(rng)
        chromosomes = [chromosome(rng, n_bases // N_CHROMOSOMES, families) for _ in range(N_CHROMOSOMES)]
        _write_fasta(haplotypes[1], [mutate(rng, bases, HETEROZYGOUS) for bases in chromosomes])
        _write_fasta(haplotypes[0], chromosomes)
    return DataSet(
        name=f"{n_bases / 1e6:g} Mbp, diploid, {DEPTH}x",
        group="Genome with repeats, 1 % heterozygous",
        references=haplotypes[:1],
        genomes=haplotypes,
        depths=(DEPTH / 2, DEPTH / 2),
    )


def repeat_families(rng: np.random.Generator) -> list[np.ndarray]:
    """Return a random sequence for each family of repeats, of three lengths in turn."""
    return [rng.integers(0, 4, FAMILY_LENGTHS[n % len(FAMILY_LENGTHS)], dtype=np.uint8) for n in range(N_FAMILIES)]


def chromosome(rng: np.random.Generator, n_bases: int, families: list[np.ndarray]) -> np.ndarray:
    """Random bases (0 to 3); copies of repeats in both strands, 5 % diverged, and one tandem repeat over them."""
    bases = rng.integers(0, 4, n_bases, dtype=np.uint8)
    n_repeated = 0
    while n_repeated < REPEATED * n_bases:
        copy = mutate(rng, families[rng.integers(N_FAMILIES)], DIVERGENCE)[:n_bases]
        copy = 3 - copy[::-1] if rng.integers(2) else copy
        place = rng.integers(n_bases - len(copy) + 1)
        bases[place : place + len(copy)] = copy
        n_repeated += len(copy)
    tandem = np.tile(rng.integers(0, 4, TANDEM_UNIT, dtype=np.uint8), n_bases // 100 // TANDEM_UNIT)
    place = (n_bases - len(tandem)) // 2
    bases[place : place + len(tandem)] = mutate(rng, tandem, DIVERGENCE / 5)
    return bases


def mutate(rng: np.random.Generator, bases: np.ndarray, rate: float) -> np.ndarray:
    """Return a copy with substitutions at a rate."""
    changed = bases.copy()
    places = np.flatnonzero(rng.random(len(bases)) < rate)
    changed[places] = (bases[places] + rng.integers(1, 4, len(places), dtype=np.uint8)) % 4
    return changed


def _write_fasta(path: Path, chromosomes: list[np.ndarray]) -> None:
    unfinished = path.with_suffix(".unfinished")
    with open(unfinished, "wb") as file:
        for number, bases in enumerate(chromosomes, 1):
            file.write(b">%s_%d\n" % (path.stem.encode(), number))
            file.write(np.frombuffer(b"ACGT", np.uint8)[bases].tobytes() + b"\n")
    unfinished.replace(path)
