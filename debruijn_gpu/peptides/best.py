"""The best of many candidates by score, with ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Candidates that are kept because of ties, beside those that are asked for. Spectra that tell little have millions of
#: ties, and each would be made longer by each residue.
MOST_TIED = 1 << 14


class Best:
    """Places of the n best candidates, and of those that score as much as the last of them.

    Parameters
    ----------
    n : int
    most : int
        The greatest score that there may be.

    Attributes
    ----------
    n_scored : int
        Candidates with a score.
    n_cut : int
        Candidates that `places` left out although they score as much as others that it has.
    """

    def __init__(self, n: int, most: int) -> None:
        self._n = n
        self._n_with = np.zeros(most + 1, np.int64)  # candidates by score
        self._found: list[tuple[NDArray[np.int64], NDArray[np.int32]]] = []
        self.n_scored = 0
        self.n_cut = 0

    def add(self, scores: NDArray[np.int32], first: int) -> None:
        """Candidates from place ``first`` on; those below 0 are none."""
        self._n_with += np.bincount(scores + 1, minlength=len(self._n_with) + 1)[1:]
        self.n_scored = int(self._n_with.sum())
        places = np.flatnonzero(scores >= self._least())
        self._found.append((places + first, scores[places]))

    def places(self) -> NDArray[np.int64]:
        """Of the best, ascending.

        If there are more than n and `MOST_TIED`, some of those that score least go, evenly over all.
        """
        least = self._least()
        places = np.concatenate([places for places, _ in self._found])
        scores = np.concatenate([scores for _, scores in self._found])
        is_good = scores >= least
        places, scores = places[is_good], scores[is_good]
        most = self._n + MOST_TIED
        if len(places) <= most:
            return places
        self.n_cut = len(places) - most
        tied = places[scores == least]
        n_left = len(tied) - self.n_cut
        tied = tied[np.arange(n_left) * len(tied) // n_left]
        return np.sort(np.append(places[scores > least], tied))

    def _least(self) -> int:
        """The score from which on candidates are among the best, as far as they are known."""
        n_above = np.cumsum(self._n_with[::-1])
        return max(0, len(n_above) - 1 - int(np.searchsorted(n_above, self._n)))
