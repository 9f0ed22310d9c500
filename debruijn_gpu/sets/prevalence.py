"""Prevalence of k-mers in samples, and the growth of the pangenome that follows from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.kmers.containers import JointCounts


@dataclass(frozen=True)
class Prevalence:
    """Numbers of k-mers by the number of samples that hold them.

    Attributes
    ----------
    n_kmers : ndarray, dtype=int64, shape=(n_samples,)
        Element i - 1: k-mers that are in exactly i samples.
    """

    n_kmers: NDArray[np.int64]

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.n_kmers)

    def growth(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Compute the expected k-mers in any (pangenome) and in all (core) of 1, 2, ... samples drawn at random.

        A k-mer of i of N samples is in none of n drawn ones with a probability of C(N - i, n) / C(N, n), and in all of
        them with C(i, n) / C(N, n). Expected values over all orders of the samples, rounded (Tettelin et al. 2005;
        Parmigiani et al. 2024 compute them from the prevalence as here). Additions are made in order, so that results
        are the same on every machine.

        Returns
        -------
        (ndarray, ndarray)
            dtype=int64, shape=(n_samples,); element n - 1 is for n samples.
        """
        found = np.flatnonzero(self.n_kmers)
        weights, i = self.n_kmers[found].astype(np.float64), found.astype(np.float64) + 1.0
        total, n_all = int(self.n_kmers.sum()), float(self.n_samples)
        absent, shared = np.ones(len(found)), np.ones(len(found))
        pangenome, core = np.zeros(self.n_samples, np.int64), np.zeros(self.n_samples, np.int64)
        for n in range(self.n_samples):
            absent = absent * np.maximum(n_all - i - n, 0.0) / (n_all - n)
            shared = shared * np.maximum(i - n, 0.0) / (n_all - n)
            pangenome[n] = total - _rounded_sum(weights * absent)
            core[n] = _rounded_sum(weights * shared)
        return pangenome, core


class PrevalenceCounter:
    """Counts k-mers by the number of samples that hold them.

    Parameters
    ----------
    n_samples : int
    """

    def __init__(self, n_samples: int) -> None:
        self._n_kmers = np.zeros(n_samples + 1, np.int64)

    def add(self, joint: JointCounts) -> None:
        """Add the k-mers of a part; each is in at least one sample."""
        self._n_kmers += np.bincount(np.diff(joint.row_ptr), minlength=len(self._n_kmers))

    def result(self) -> Prevalence:
        """Return the numbers so far."""
        return Prevalence(self._n_kmers[1:])


def _rounded_sum(values: NDArray[np.float64]) -> int:
    """Sum in order, rounded half up."""
    return int(np.floor(np.cumsum(values)[-1] + 0.5)) if len(values) else 0
