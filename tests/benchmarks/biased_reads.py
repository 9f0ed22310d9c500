"""Write pairs of reads with the flaws of real libraries: GC bias, duplicates, chimeras, adapters, errors, phiX174.

    python -m tests.benchmarks.biased_reads GENOME PREFIX [--depth 30] [--gc-bias 2] [--seed 1] ...

A fragment is kept with a chance that falls with the difference of its GC content from that of the genome: exp(-bias / 2
(difference / 0.12)^2). A pair is copied, and copied again, with the chance of duplicates; chimeras are of two of them.
Errors are more frequent towards the ends of reads, in second mates, and in second mates of some poor pairs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.benchmarks.repeat_genome import read_fasta

PHAGE = Path(__file__).parents[2] / "data" / "phix174_J02482.fa"
ADAPTERS = (
    "AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG",
    "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATT",
)
LETTERS = np.frombuffer(b"ACGT", np.uint8)
#: Standard deviation of the GC content of fragments that a bias of 1 keeps
GC_SD = 0.12
SHORTEST_BP, LONGEST_BP, LEAST_CHIMERIC_BP = 40, 1500, 20
FIRST_ERROR, LAST_ERRORS, TIMES_POOR, MOST_ERRORS, LEAST_ERRORS = 0.001, (0.01, 0.03), 8, 0.5, 1e-4
POOR_SHARE, PHAGE_SHARE, PHAGE_INSERT_BP = 0.03, 0.002, 400

Fragment = tuple[np.ndarray, int, int]  # sequence, start and length


@dataclass(frozen=True)
class Library:
    """Shape of a library: bases of reads and fragments, shares of duplicates and chimeras, and GC bias."""

    read_bp: int = 150
    insert_bp: float = 350.0
    insert_sd: float = 100.0
    gc_bias: float = 1.0
    duplicates: float = 0.1
    chimeras: float = 0.01
    is_circular: bool = True


def codes(text: str) -> np.ndarray:
    """Codes of bases."""
    return np.searchsorted(LETTERS, np.frombuffer(text.encode(), np.uint8)).astype(np.uint8)


def fragments(rng: np.random.Generator, genome: np.ndarray, n: int, library: Library) -> list[Fragment]:
    """Draw n fragments of a sequence by their GC content."""
    turned = np.concatenate((genome, genome[:2000])) if library.is_circular else genome
    n_before = np.append(0, np.cumsum((turned == 1) | (turned == 2)))
    usual = (n_before[-1] - n_before[0]) / len(turned)
    variance = np.log(1 + (library.insert_sd / library.insert_bp) ** 2)
    kept: list[Fragment] = []
    while len(kept) < n:
        k = 2 * (n - len(kept)) + 100
        lengths = rng.lognormal(np.log(library.insert_bp) - variance / 2, np.sqrt(variance), k)
        lengths = np.clip(lengths, SHORTEST_BP, LONGEST_BP).astype(int)
        starts = rng.integers(0, len(genome) if library.is_circular else max(1, len(genome) - LONGEST_BP), k)
        fits = starts + lengths <= len(turned)
        starts, lengths = starts[fits], lengths[fits]
        gc = (n_before[starts + lengths] - n_before[starts]) / lengths
        is_kept = rng.random(len(starts)) < np.exp(-0.5 * library.gc_bias * ((gc - usual) / GC_SD) ** 2)
        kept += [(turned, *pair) for pair in zip(starts[is_kept].tolist(), lengths[is_kept].tolist(), strict=True)]
    return kept[:n]


class Sequencer:
    """Reads fragments from both sides, with errors."""

    def __init__(self, rng: np.random.Generator, library: Library) -> None:
        self._rng, self._n = rng, library.read_bp
        along = (np.arange(self._n) / self._n) ** 3
        self._errors = [FIRST_ERROR + (last - FIRST_ERROR) * along for last in LAST_ERRORS]

    def pair(self, fragment: np.ndarray) -> list[tuple[bytes, bytes]]:
        """Bases and qualities of both mates."""
        is_poor = self._rng.random() < POOR_SHARE
        sides = (fragment, (3 - fragment)[::-1])
        return [self._read(side, mate, is_poor and mate == 1) for mate, side in enumerate(sides)]

    def _read(self, side: np.ndarray, mate: int, is_poor: bool) -> tuple[bytes, bytes]:
        rng, n = self._rng, self._n
        read = np.concatenate((side[:n], codes(ADAPTERS[mate])))[:n]
        n_more = n - len(read)
        if n_more:
            is_poly_g = rng.random() < 0.5
            read = np.append(read, np.full(n_more, 2) if is_poly_g else rng.integers(0, 4, n_more)).astype(np.uint8)
        chance = np.minimum(self._errors[mate] * (TIMES_POOR if is_poor else 1), MOST_ERRORS)
        is_wrong = rng.random(n) < chance
        n_wrong = int(is_wrong.sum())
        if n_wrong:
            read[is_wrong] = (read[is_wrong] + rng.integers(1, 4, n_wrong)) % 4
        quality = np.round(-10 * np.log10(np.maximum(chance, LEAST_ERRORS))) + rng.integers(-3, 3, n)
        quality = np.clip(quality, 2, 40).astype(int)
        quality[is_wrong] = np.clip(quality[is_wrong] - rng.integers(0, 20, n_wrong), 2, 40)
        return LETTERS[read].tobytes(), (quality + 33).astype(np.uint8).tobytes()


def sequenced(rng: np.random.Generator, drawn: list[Fragment], library: Library) -> Iterator[np.ndarray]:
    """Yield the fragments in the order of sequencing, some joined to others, and some several times."""
    for number in rng.permutation(len(drawn)).tolist():
        sequence, start, length = drawn[number]
        fragment = sequence[start : start + length]
        if rng.random() < library.chimeras:
            other, at, n = drawn[int(rng.integers(len(drawn)))]
            cut = int(rng.integers(LEAST_CHIMERIC_BP, length)) if length > SHORTEST_BP else LEAST_CHIMERIC_BP
            behind = other[at : at + n] if rng.random() < 0.5 else (3 - other[at : at + n])[::-1]
            fragment = np.concatenate((fragment[:cut], behind[: max(LEAST_CHIMERIC_BP, n - cut)]))
        if rng.random() < 0.5:
            fragment = (3 - fragment)[::-1]
        yield fragment
        while rng.random() < library.duplicates:
            yield fragment


def write_pairs(genome: Path, prefix: str, depth: float, seed: int, library: Library) -> int:
    """Write ``PREFIX_R1.fq`` and ``PREFIX_R2.fq`` of a genome without other letters than bases; return the pairs."""
    rng = np.random.default_rng(seed)
    records = [record.bases for record in read_fasta(genome)]
    n_bases = sum(map(len, records))
    n = int(n_bases * depth / (2 * library.read_bp))
    drawn: list[Fragment] = []
    for bases in records:
        drawn += fragments(rng, bases, round(n * len(bases) / n_bases), library)
    phage = read_fasta(PHAGE)[0].bases
    starts = rng.integers(0, len(phage), int(n * PHAGE_SHARE)).tolist()
    drawn += [(np.concatenate((phage, phage[:2000])), start, PHAGE_INSERT_BP) for start in starts]
    sequencer, number = Sequencer(rng, library), -1
    with open(f"{prefix}_R1.fq", "wb") as first, open(f"{prefix}_R2.fq", "wb") as second:
        for number, fragment in enumerate(sequenced(rng, drawn, library)):
            for mate, (file, read) in enumerate(zip((first, second), sequencer.pair(fragment), strict=True), 1):
                file.write(b"@r%d/%d\n%s\n+\n%s\n" % (number, mate, *read))
    return number + 1


def main() -> None:
    """Write the reads that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("genome", type=Path)
    parser.add_argument("prefix")
    parser.add_argument("--depth", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--linear", action="store_true")
    shape = ("insert_bp", "insert_sd", "gc_bias", "duplicates", "chimeras")
    for name in shape:
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, default=getattr(Library, name))
    options = parser.parse_args()
    library = Library(is_circular=not options.linear, **{name: getattr(options, name) for name in shape})
    print(write_pairs(options.genome, options.prefix, options.depth, options.seed, library), "pairs")


if __name__ == "__main__":
    main()
