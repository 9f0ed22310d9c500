"""Classify bytes of FASTA and FASTQ within a sequence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import alphabet

# What a byte is within a sequence: a code (0..3) or one of these.
AMBIGUOUS, BLANK, ALIEN = 4, 5, 6

NEWLINE, RETURN, PLUS, AT, GREATER = (np.uint8(ord(c)) for c in "\n\r+@>")


def _byte_classes() -> NDArray[np.uint8]:
    classes = np.full(256, ALIEN, np.uint8)
    classes[list(alphabet.AMBIGUOUS + alphabet.AMBIGUOUS.lower())] = AMBIGUOUS
    classes[list(b" \t")] = BLANK
    for code, letter in enumerate(alphabet.BASES):
        classes[[letter, letter | 0x20]] = code
    classes[list(b"Uu")] = alphabet.BASES.index(b"T")
    return classes


CLASSES = _byte_classes()
