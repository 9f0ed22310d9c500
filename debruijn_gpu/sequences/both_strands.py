"""DNA that contains each word or its reverse complement: half of a de Bruijn sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.euler.bidirected import BidirectedGraph, as_ids, bidirected_trails
from debruijn_gpu.run import log
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.sequences.sequence import StoredSequence, check_order
from debruijn_gpu.sequences.universal import universal_sequence
from debruijn_gpu.sequences.words import NumberedWords, number_dtype

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend

#: Numbers of words of DNA: 2 bits a letter, A C G T = 0 1 2 3, the first letter in the highest
Words: TypeAlias = NDArray[np.int64]

_BYTES_PER_WORD = 110  # of all 4^n, at the most at once
_BYTES_PER_ODD_WORD = 32  # if n is odd
_MOST_ORDER = 20
_BLOCK = 1 << 22  # words that are looked at together


class BothStrandsSequence(StoredSequence):
    """A cyclic DNA sequence whose windows contain each word of n letters or its reverse complement.

    For odd n each is one once, which makes 4^n / 2 letters; see `one_strand`. For even n some words are their own
    complements, so that walks must end where no other can begin, and some words are there twice. (Orenstein and Shamir,
    Bioinformatics 29:i71, 2013.)

    Parameters
    ----------
    order : int
        n.
    backend : SequenceBackend
    memory : int
        Bytes that this may take.

    Attributes
    ----------
    n_words : int
        Words, one of each complementary pair: no such cyclic sequence is shorter.

    Raises
    ------
    OutOfMemoryError
        If it takes more.
    """

    def __init__(self, order: int, backend: SequenceBackend, memory: int) -> None:
        check_order(order)
        needed = (_BYTES_PER_ODD_WORD if order % 2 else _BYTES_PER_WORD) * 4 ** min(order, _MOST_ORDER)
        if order >= _MOST_ORDER or needed > memory:
            raise OutOfMemoryError(
                f"Out of memory: --both-strands holds a graph of 4^{order} words, which needs "
                f"{'more than there is anywhere' if order >= _MOST_ORDER else format_bytes(needed)}; "
                f"{format_bytes(memory)} are left for it",
                "choose a smaller -n, or allow more (-m)",
            )
        if order % 2:
            with log.stage("words of one strand", 4**order // 2, "words"):
                strand = one_strand(order, backend)
            self.n_words = len(strand)
            codes = backend.to_host(universal_sequence(strand, backend, memory=memory).codes)
        else:
            with log.stage("words of both strands", 4**order, "words"):
                words = np.arange(4**order)
                words = words[words <= reverse_complements(words, order)]
            self.n_words = len(words)
            codes = _walked(np.concatenate((words, repeated_words(words, order))), order, backend)
        super().__init__(codes, 4, order)


def one_strand(order: int, backend: SequenceBackend) -> NumberedWords:
    """One word of each complementary pair, if their length is odd, such that these have an Euler circuit.

    Those whose letters, A C G T = 0 1 2 3, have a sum below 3 n / 2: the sums of a word and its complement are 3 n
    together, and that is odd. With a word all its rotations are chosen, which are a cycle, so the words are balanced.
    They are connected: to make a letter A leads from a word to one of less sum, and so in the end to A^n.
    """
    most = (3 * order - 1) // 2
    words = backend.to_device(np.empty(4**order // 2, number_dtype(4, order)))
    at = 0
    for start in range(0, 4**order, _BLOCK):
        block = backend.to_device(np.arange(start, min(start + _BLOCK, 4**order), dtype=words.dtype))
        chosen, _places = backend.arrays.compact(
            block, backend.arrays.matches(backend.sequences.digit_sums(block, 4), "<", most + 1)
        )
        words[at : at + len(chosen)] = chosen
        at += len(chosen)
    return NumberedWords(words, 4, order)


def reverse_complements(words: Words, order: int) -> Words:
    """Compute the reverse complement of each word."""
    found = np.zeros_like(words)
    rest = ~words
    for _ in range(order):
        found = (found << 2) | (rest & 3)
        rest = rest >> 2
    return found


def repeated_words(words: Words, order: int) -> Words:
    """Find the words that a closed walk must repeat.

    A word that is its own complement leads from some v to the complement of v, so that a walk that comes from there
    finds no way on. A walk from the complement of one such v to another one takes a letter for each that they do not
    share. Pairs that share most letters are chosen first.

    Parameters
    ----------
    words : ndarray, dtype=int64
        One of each complementary pair.
    order : int

    Returns
    -------
    ndarray, dtype=int64
        None if the order is odd.
    """
    own = words[words == reverse_complements(words, order)]
    starts = own >> 2  # walks must begin here, and end at the complements
    ends = own & ((1 << 2 * (order - 1)) - 1)
    concatenated: list[Words] = []
    for shared in range(order - 1, -1, -1):
        if not len(starts):
            break
        suffixes = ends & ((1 << 2 * shared) - 1)
        one, other = _complementary_pairs(suffixes, shared)
        # from the end of one to the start of the other: its last letters and those that the other has beyond them
        n_new = order - 1 - shared
        text = (ends[one] << 2 * n_new) | (starts[other] & ((1 << 2 * n_new) - 1))
        concatenated += [(text >> 2 * (n_new - 1 - i)) & ((1 << 2 * order) - 1) for i in range(n_new)]
        left = np.ones(len(starts), np.bool_)
        left[one] = left[other] = False
        starts, ends = starts[left], ends[left]
    found = np.concatenate(concatenated) if concatenated else np.empty(0, np.int64)
    return np.minimum(found, reverse_complements(found, order))


def _complementary_pairs(words: Words, order: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions of words that are complements of each other, each position once at most, as many as there are."""
    complements = reverse_complements(words, order)
    smaller = np.minimum(words, complements)
    by_pair = np.lexsort((words, smaller))
    words, smaller = words[by_pair], smaller[by_pair]
    is_first = np.concatenate((np.ones(1, np.bool_), smaller[1:] != smaller[:-1]))
    begins = np.flatnonzero(is_first)
    group = np.cumsum(is_first) - 1
    sizes = np.diff(np.append(begins, len(words)))
    n_smaller = np.add.reduceat((words == smaller).astype(np.int64), begins)
    is_own = reverse_complements(smaller[begins], order) == smaller[begins]
    n_pairs = np.where(is_own, sizes // 2, np.minimum(n_smaller, sizes - n_smaller))
    place = np.arange(len(words)) - begins[group]
    one = np.flatnonzero(place < n_pairs[group])
    offset = np.where(is_own, n_pairs, n_smaller)[group[one]]
    return by_pair[one], by_pair[one + offset]


def _walked(words: Words, order: int, backend: SequenceBackend) -> NDArray[np.uint8]:
    """The letters of a closed walk through each of some words or its complement, as often as it is there."""
    n_vertices = 4 ** (order - 1)
    both = np.empty(2 * len(words), np.int64)
    both[::2], both[1::2] = words, reverse_complements(words, order)
    graph = BidirectedGraph(
        as_ids(both >> 2, n_vertices),
        as_ids(both & (n_vertices - 1), n_vertices),
        as_ids(reverse_complements(np.arange(n_vertices), order - 1), n_vertices),
    )
    with log.stage("walk", len(words), "words"):
        walks = bidirected_trails(graph, backend)
    assert len(walks) == 1, "all words are connected, and spliced into one closed walk"
    return (both[walks.steps] >> 2 * (order - 1)).astype(np.uint8)
