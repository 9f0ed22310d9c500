"""Small conversions that tests share.

sequence   str of ACGT (and others, which break k-mers)
codes      uint64 (words, n), as in KmerTable
"""

from __future__ import annotations

import copy
import types
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from debruijn_gpu.alphabet import BASES_PER_WORD, words_per_kmer
from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.unitig_graph import PackedSequences
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.kmers.table import KmerTable

_LETTERS = "ACGT"

#: Examples of a property test that names no number of its own, in a full run
FULL_EXAMPLES = 70
_LEAST_EXAMPLES = 5

#: A graph of two Euler circuits
RINGS = "a -> b, c\nb -> d\nc -> d\nd -> a, a\n"


def n_examples(full: int) -> int:
    """Return the number of examples of a property test that takes `full` of them in a full run.

    Other profiles of Hypothesis (`tests/conftest.py`) take the same share of it as of `FULL_EXAMPLES`.
    """
    return max(_LEAST_EXAMPLES, full * settings.default.max_examples // FULL_EXAMPLES)


def first_quick(values: Iterable[Any], n: int = 1) -> list[Any]:
    """Return parameters of a test. All but the first ``n`` are marked as slow."""
    first, rest = list(values)[:n], list(values)[n:]
    return first + [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow) for value in rest
    ]


def batch_of(reads: list[str]) -> ReadBatch:
    """Reads in a batch."""
    concatenated = "".join(reads)
    words = np.zeros(-(-len(concatenated) // BASES_PER_WORD), np.uint64)
    for i, letter in enumerate(concatenated):
        code = max(0, _LETTERS.find(letter))
        words[i // BASES_PER_WORD] |= np.uint64(code << (62 - 2 * (i % BASES_PER_WORD)))
    ambiguous_positions = [i for i, letter in enumerate(concatenated) if letter not in _LETTERS]
    offsets = np.cumsum([0] + [len(read) for read in reads])
    return ReadBatch(words, offsets.astype(np.int64), np.array(ambiguous_positions, np.int64))


def codes_of(kmers: list[str]) -> np.ndarray:
    """Codes of k-mers, in the order given."""
    n_words = words_per_kmer(len(kmers[0])) if kmers else 1
    codes = np.zeros((n_words, len(kmers)), np.uint64)
    for i, kmer in enumerate(kmers):
        value = sum(_LETTERS.index(letter) << 2 * (len(kmer) - 1 - j) for j, letter in enumerate(kmer))
        for word in range(n_words):
            codes[word, i] = (value >> 64 * (n_words - 1 - word)) & (2**64 - 1)
    return codes


def kmers_of(codes: np.ndarray, k: int) -> list[str]:
    """k-mers as text."""
    values = [sum(int(word) << 64 * i for i, word in enumerate(reversed(column))) for column in codes.T]
    return ["".join(_LETTERS[(value >> 2 * (k - 1 - j)) & 3] for j in range(k)) for value in values]


def table_of(counts: dict[str, int], k: int) -> KmerTable:
    """A table of canonical k-mers."""
    kmers = sorted(counts)
    codes = codes_of(kmers) if kmers else np.zeros((words_per_kmer(k), 0), np.uint64)
    return KmerTable(k, codes, np.array([counts[kmer] for kmer in kmers], np.uint32))


def sequences_of(contigs: Contigs) -> list[str]:
    """Sequences of contigs as text."""
    return [contigs.sequence(i).decode() for i in range(len(contigs))]


def unpack(sequences: PackedSequences) -> list[str]:
    """Packed sequences (in NumPy arrays) as text."""
    digits = (sequences.bases[:, None] >> np.arange(62, -1, -2, dtype=np.uint64)) & np.uint64(3)
    text = "".join(np.array(list(_LETTERS))[digits.ravel()])
    return [text[begin:end] for begin, end in pairwise(sequences.offsets.tolist())]


def random_sequence(rng: np.random.Generator, length: int) -> str:
    """Uniformly random bases."""
    return "".join(np.array(list(_LETTERS))[rng.integers(0, 4, length)])


FAMILIES = ("arrays", "reads", "kmers", "graphs", "circuits", "unitigs", "screens", "sequences", "spectra")


def operation(backend: Any, name: str) -> Callable[..., Any]:
    """Find an operation of a backend by its name, whichever family has it."""
    return next(
        getattr(getattr(backend, family), name) for family in FAMILIES if hasattr(getattr(backend, family), name)
    )


def with_operations(backend: Any, family: str, **operations: Callable[..., Any]) -> Any:
    """Copy a backend, with other operations in a family."""
    other = copy.copy(backend)
    setattr(other, family, types.SimpleNamespace(**{**vars(getattr(backend, family)), **operations}))
    return other


def as_device(backend: Any) -> Any:
    """Copy the CPU backend, as one that says it has memory of its own and runs nothing sequential."""
    other = copy.copy(backend)
    other.is_sequential, other.memory_limit = False, lambda n_bytes: None
    return other
