"""Make reads that are hard for assemblers: repeats, low complexity, palindromes, no overlaps, chosen collisions.

Each generator takes about the number of bases wanted and a generator of random numbers, and returns sequences.

    python -m tests.benchmarks.adversarial_reads FILE NAME BASES
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.backends.core.kmer_scalars import minimizer_hash
from debruijn_gpu.backends.kmers.minimizers import minimizer_length
from debruijn_gpu.sequences.making import de_bruijn_sequence
from tests.naive.collisions import colliding_kmers, reverse_complements, spell

#: Length of k-mers that collide, and of those that share a minimizer
K = 31
_READ = 100
_COMPLEMENT = str.maketrans("ACGT", "TGCA")
_LONGEST_PERIOD = 200

Generator = Callable[[int, random.Random], list[str]]


def letters(rng: random.Random, n: int) -> str:
    """Random bases."""
    return "".join(rng.choices("ACGT", k=n))


def reverse_complement(sequence: str) -> str:
    """The opposite strand."""
    return sequence.translate(_COMPLEMENT)[::-1]


def reads_of(genome: str) -> list[str]:
    """Error-free reads at a depth of 2."""
    return [genome[i : i + _READ] for i in range(0, max(1, len(genome) - _READ // 2), _READ // 2)]


def one_repeat(n: int, rng: random.Random) -> list[str]:
    """A repeat of 30 bases in n / 40 copies, with 10 random bases behind each."""
    repeat = letters(rng, 30)
    return reads_of("".join(repeat + letters(rng, 10) for _ in range(n // 40 // 2)))


def poly_a(n: int, _rng: random.Random) -> list[str]:
    """One base."""
    return ["A" * _READ] * (n // _READ)


def dinucleotides(n: int, _rng: random.Random) -> list[str]:
    """All repeated pairs of bases."""
    pairs = [one + other for one in "ACGT" for other in "ACGT"]
    return [pairs[i % len(pairs)] * (_READ // 2) for i in range(n // _READ)]


def tandem_repeats(n: int, rng: random.Random) -> list[str]:
    """Tandem repeats of all periods up to 200, between random sequences."""
    each = max(1, n // 2 // _LONGEST_PERIOD)
    units = (letters(rng, period) for period in range(1, _LONGEST_PERIOD + 1))
    return reads_of("".join((unit * each)[:each] + letters(rng, 10) for unit in units))


def palindromes(n: int, rng: random.Random) -> list[str]:
    """Sequences followed by their reverse complements, of 20 to 200 bases."""
    arms = (letters(rng, rng.randrange(20, 200)) for _ in range(n // 2 // 220))
    return reads_of("".join(arm + reverse_complement(arm) for arm in arms))


def inverted_repeats(n: int, rng: random.Random) -> list[str]:
    """One sequence in both orientations by turns, between random ones."""
    arm = letters(rng, 60)
    copies = (arm if i % 2 else reverse_complement(arm) for i in range(n // 2 // 100))
    return reads_of("".join(copy + letters(rng, 40) for copy in copies))


def unrelated_reads(n: int, rng: random.Random) -> list[str]:
    """Random reads without overlaps."""
    return [letters(rng, _READ) for _ in range(n // _READ)]


def distinct_kmers(n: int, rng: random.Random) -> list[str]:
    """A single random sequence, once: each k-mer of it is another one."""
    return [letters(rng, n)]


def every_word(n: int, _rng: random.Random) -> list[str]:
    """The first bases of a de Bruijn sequence of order 11: k-mers of up to 11 bases branch everywhere."""
    return reads_of(_every_word(11)[:n])


@cache
def _every_word(order: int) -> str:
    blocks = de_bruijn_sequence(4, order).blocks(0, 4**order, backends.host(), np.frombuffer(b"ACGT", np.uint8))
    return b"".join(block.tobytes() for block in blocks).decode()


def identical_reads(n: int, rng: random.Random) -> list[str]:
    """One read, over and over."""
    return [letters(rng, _READ)] * (n // _READ)


def colliding(n: int, _rng: random.Random) -> list[str]:
    """Reads of one 31-mer each, which have the same slot in a table of a seed that is known."""
    return spell(colliding_kmers(n // K, K), K)


def colliding_ends(n: int, rng: random.Random) -> list[str]:
    """Reads of one 31-mer each, whose first 30 bases collide with a seed that is known."""
    return [text + rng.choice("ACGT") for text in spell(colliding_kmers(n // K, K - 1, low_bits=20), K - 1)]


def one_minimizer(n: int, rng: random.Random) -> list[str]:
    """Reads whose 31-mers all have the same minimizer, and so one bucket."""
    m = minimizer_length(K)
    around = K - m
    middle = _least_minimizer(m)
    return [letters(rng, around) + middle + letters(rng, around) for _ in range(n // (2 * around + m))]


@cache
def _least_minimizer(m: int) -> str:
    codes = np.arange(1 << 2 * m, dtype=np.uint64)
    codes = codes[codes <= reverse_complements(codes, m)]
    hashes = minimizer_hash(codes, codes)
    return spell(codes[[int(np.argmin(hashes))]], m)[0]


#: Generators by name
INPUTS: dict[str, Generator] = {
    "one repeat": one_repeat,
    "poly-A": poly_a,
    "dinucleotides": dinucleotides,
    "tandem repeats": tandem_repeats,
    "palindromes": palindromes,
    "inverted repeats": inverted_repeats,
    "unrelated reads": unrelated_reads,
    "distinct k-mers": distinct_kmers,
    "every word": every_word,
    "identical reads": identical_reads,
    "colliding k-mers": colliding,
    "colliding ends": colliding_ends,
    "one minimizer": one_minimizer,
}


def write_reads(path: Path, name: str, n_bases: int) -> None:
    """Write an input of `INPUTS` as FASTA."""
    reads = INPUTS[name](n_bases, random.Random(19))
    path.write_text("".join(f">{i}\n{read}\n" for i, read in enumerate(reads)))


if __name__ == "__main__":
    write_reads(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
