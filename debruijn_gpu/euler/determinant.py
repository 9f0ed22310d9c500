"""Determinants of the Laplacian matrices of graphs: exact by Chinese remainders, or their logarithm."""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import ParameterError

MOST_DENSE = 5000  # rows; 200 MB
MOST_SPARSE = 50_000
_PRIMES_BELOW = 1 << 26  # so that the products of two residues of either sign are exact in float64


def laplacian(tails: NDArray[np.int64], heads: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], ...]:
    """Laplacian matrix of a graph without loops, less the row and column of its last vertex, as entries to be added up.

    Its determinant is the number of spanning trees directed towards that vertex (Tutte 1948).

    Returns
    -------
    rows, columns, values : ndarray, dtype=int64
    """
    kept, between = tails < n - 1, (tails < n - 1) & (heads < n - 1)
    rows = np.concatenate((tails[kept], tails[between]))
    columns = np.concatenate((tails[kept], heads[between]))
    return rows, columns, np.repeat(np.array([1, -1]), [kept.sum(), between.sum()])


def exact_determinant(entries: tuple[NDArray[np.int64], ...], n_rows: int, bound: int) -> int:
    """Determinant that is known to be in 0..bound: modulo primes, until their product is above the bound."""
    matrix = _dense(entries, n_rows)
    found, modulus = 0, 1
    for prime in _primes():
        residue = _determinant_modulo(matrix, prime)
        found += modulus * ((residue - found) * pow(modulus, -1, prime) % prime)
        modulus *= prime
        if modulus > bound:
            break
    return found


def log_determinant(entries: tuple[NDArray[np.int64], ...], n_rows: int) -> float:
    """Natural logarithm of a determinant above 0.

    Raises
    ------
    ParameterError
        If the matrix is too large, or too large without SciPy.
    """
    if n_rows <= MOST_DENSE:
        return float(np.linalg.slogdet(_dense(entries, n_rows))[1])
    try:
        sparse, linalg = (importlib.import_module(f"scipy.sparse{part}") for part in ("", ".linalg"))
    except ImportError:
        raise ParameterError(
            f"counting Euler circuits of a graph with {n_rows + 1:,} branching vertices needs SciPy",
            "pip install scipy",
        ) from None
    if n_rows > MOST_SPARSE:
        raise ParameterError(
            f"a component has {n_rows + 1:,} branching vertices, too many to count its Euler circuits",
            f"count those of graphs with at most {MOST_SPARSE:,} vertices of two edges out or more",
        )
    rows, columns, values = entries
    matrix: Any = sparse.coo_array((values.astype(np.float64), (rows, columns)), shape=(n_rows, n_rows)).tocsc()
    # Diagonally dominant by columns: needs no pivots, so that the order may be chosen to stay sparse.
    factors = linalg.splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return float(np.log(np.abs(factors.U.diagonal())).sum())


def _dense(entries: tuple[NDArray[np.int64], ...], n_rows: int) -> NDArray[np.float64]:
    rows, columns, values = entries
    matrix = np.zeros((n_rows, n_rows))
    np.add.at(matrix, (rows, columns), values)
    return matrix


def _primes() -> Iterator[int]:
    """Primes below 2^26, the greatest first."""
    prime = _PRIMES_BELOW
    while True:
        prime = _prime_below(prime)
        yield prime


@functools.cache
def _prime_below(bound: int) -> int:
    """The greatest odd prime below a bound; kept, as each component of a graph asks for the same ones."""
    candidates = range(bound - 1 - bound % 2, 2, -2)
    return next(n for n in candidates if all(n % divisor for divisor in range(3, math.isqrt(n) + 1, 2)))


def _reduced(matrix: NDArray[np.float64], prime: int) -> NDArray[np.float64]:
    """Integers below 2^52 in float64, to residues of the smallest magnitude."""
    reduced: NDArray[np.float64] = matrix - np.rint(matrix * (1.0 / prime)) * prime
    return reduced


def _determinant_modulo(matrix: NDArray[np.float64], prime: int) -> int:
    """Determinant modulo a prime, by Gaussian elimination in float64, where residues below 2^26 multiply exactly."""
    left = _reduced(matrix, prime)
    determinant = 1
    for i in range(len(left)):
        others = i + np.flatnonzero(left[i:, i])
        if not len(others):
            return 0
        if others[0] != i:
            left[[i, others[0]]] = left[[others[0], i]]
            determinant = -determinant
        determinant = determinant * int(left[i, i]) % prime
        inverse = (pow(int(left[i, i]), -1, prime) + prime // 2) % prime - prime // 2
        below = others[1:]
        factors = _reduced(left[below, i] * inverse, prime)
        left[below, i + 1 :] = _reduced(left[below, i + 1 :] - np.outer(factors, left[i, i + 1 :]), prime)
    return determinant % prime
