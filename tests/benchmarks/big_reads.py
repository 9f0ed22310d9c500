"""Reads of a random genome of any size, as FASTA on standard output.

    python -m tests.benchmarks.big_reads --genome 3000000000 --depth 10 --part 1/16 > 1.fa & ...

Each read is a window of the genome, in either strand, with substitutions. Reads of a block of the genome come one after
another in random order, so that the genome is made block by block, from the seed and the number of the block.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from numpy.typing import NDArray

_LETTERS = np.frombuffer(b"ACGT", np.uint8)
_BLOCK_BP = 10_000_000
_HEADER = b">r\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--genome", type=int, default=3_000_000_000, metavar="BP")
    parser.add_argument("--depth", type=float, default=10.0)
    parser.add_argument("--length", type=int, default=150, metavar="BP")
    parser.add_argument("--errors", type=float, default=0.001, help="substitutions a base")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", default="1/1", metavar="I/N", help="every Nth block, from the Ith on")
    options = parser.parse_args()
    part, n_parts = map(int, options.part.split("/"))
    for block in range(part - 1, -(-options.genome // _BLOCK_BP), n_parts):
        sys.stdout.buffer.write(block_text(block, options).data)


def block_text(block: int, options: argparse.Namespace) -> NDArray[np.uint8]:
    """FASTA of the reads that begin in a block of the genome; it takes part of the next block along."""
    rng = np.random.default_rng((options.seed, 1, block))
    genome = np.concatenate((_genome(block, options), _genome(block + 1, options)[: options.length]))
    size = min(_BLOCK_BP, options.genome - block * _BLOCK_BP)
    n_reads = round(size * options.depth / options.length)
    starts = rng.integers(0, size, n_reads)
    text = np.empty((n_reads, len(_HEADER) + options.length + 1), np.uint8)
    text[:, : len(_HEADER)] = np.frombuffer(_HEADER, np.uint8)
    text[:, -1] = ord("\n")
    codes = np.lib.stride_tricks.sliding_window_view(genome, options.length)[starts]
    errors = rng.integers(0, codes.size, rng.binomial(codes.size, options.errors))
    flat = codes.reshape(-1)
    flat[errors] = (flat[errors] + rng.integers(1, 4, len(errors), np.uint8)) & 3
    is_reverse = rng.random(n_reads) < 0.5
    codes[is_reverse] = 3 - codes[is_reverse, ::-1]
    text[:, len(_HEADER) : -1] = _LETTERS[codes]
    return text.reshape(-1)


def _genome(block: int, options: argparse.Namespace) -> NDArray[np.uint8]:
    """Two-bit codes of a block."""
    return np.random.default_rng((options.seed, 0, block)).integers(0, 4, _BLOCK_BP, np.uint8)


if __name__ == "__main__":
    main()
