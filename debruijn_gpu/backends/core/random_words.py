"""Random 64-bit words that depend on a seed and a purpose alone."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray


def random_words(seed: int, purpose: str, n: int = 1) -> NDArray[np.uint64]:
    """Up to 8 words that differ for each seed and purpose: BLAKE2b of both."""
    digest = hashlib.blake2b(f"{purpose} {seed}".encode(), digest_size=8 * n).digest()
    return np.frombuffer(digest, "<u8").astype(np.uint64)
