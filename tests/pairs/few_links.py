"""Links of a few vertices, for tests."""

from __future__ import annotations

import numpy as np


class FewLinks:
    """Links of given vertices, and fragments by tail and head."""

    def __init__(self, numbers, others=(), known=None):
        self._numbers = numbers | {(head ^ 1, tail ^ 1): n for (tail, head), n in numbers.items()}
        self._others = others
        self._known = known

    def among(self, is_wanted, is_tail):
        assert all(is_tail[link.tail >> 1] and is_wanted[link.head >> 1] for link in self._others)
        return {link.tail: [link] for link in self._others}

    def supports_of(self, tails, heads):
        pairs = zip(tails.tolist(), heads.tolist(), strict=True)
        return np.array([self._numbers.get(pair, 0) for pair in pairs], np.int64)

    def find(self, tail, head):
        known = self._known
        return known if known is not None and (tail, head) == (known.tail, known.head) else None

    def deviation(self, link, gap_bp):
        return abs(gap_bp - link.gap_bp) / link.error_bp

    def expected(self, tail, head, gap_bp):
        return 0.0
