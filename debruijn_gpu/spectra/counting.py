"""How many peptides have a mass."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.spectra.alphabets import Alphabet
from debruijn_gpu.spectra.fixed_point import format_units

_MOST_MASS = 10_000_000


def count_peptides(mass: int, alphabet: Alphabet) -> int:
    """Linear peptides of a mass: sequences of residues, with I and L, and K and Q, one each as they have one mass.

    c(0) = 1, and c(m) is the sum of c(m - a) over the residues a.

    Parameters
    ----------
    mass : int
        0 or more, in units of the alphabet; the time is in proportion to it.
    alphabet : Alphabet
    """
    reduced = _reduced(mass, alphabet)
    if reduced is None:
        return int(mass == 0)
    return _counts(*reduced, [reduced[0]])[reduced[0]]


def count_cyclopeptides(mass: int, alphabet: Alphabet, *, mirrored: bool = False) -> int:
    """Cyclic peptides of a mass, above 0: sequences of residues up to rotation.

    By Burnside's lemma that is the sum over all k that divide the mass of phi(k) s(mass / k) / mass, where s(m), the
    sum of a c(m - a) over the residues a, counts linear peptides of mass m with a place of them marked.

    Parameters
    ----------
    mass : int
    alphabet : Alphabet
    mirrored : bool
        Whether a peptide and its reversal, which have the same spectrum, are one.
    """
    reduced = _reduced(mass, alphabet)
    if reduced is None or mass == 0:
        return 0
    target, residues = reduced
    divisors = [k for k in range(1, math.isqrt(target) + 1) if target % k == 0]
    divisors += [target // k for k in divisors if k * k != target]
    counts = _counts(target, residues, {m - a for m in divisors for a in residues if m >= a})
    marked = {m: sum(a * counts[m - a] for a in residues if m >= a) for m in divisors}
    n_cycles = sum(_totient(target // m) * marked[m] for m in divisors) // target
    return (n_cycles + _count_symmetric(target, residues)) // 2 if mirrored else n_cycles


def _reduced(mass: int, alphabet: Alphabet) -> tuple[int, list[int]] | None:
    """Mass, and residues that are not heavier, by the greatest common divisor of all; None if there can be none."""
    residues = alphabet.masses.tolist()
    divisor = math.gcd(*residues)
    if mass < 0 or mass % divisor:
        return None
    if mass // divisor > _MOST_MASS:
        raise ParameterError(
            f"the mass {format_units(mass, alphabet.decimals)} is too large to count its peptides",
            f"give at most {_MOST_MASS:,} times the greatest common divisor of the residues' masses, which is "
            f"{format_units(divisor, alphabet.decimals)}",
        )
    light = [a // divisor for a in residues if a <= mass]
    return (mass // divisor, light) if light else None


def _counts(target: int, residues: list[int], wanted: Iterable[int]) -> dict[int, int]:
    """Linear peptides of some masses up to a target, 0 or more."""
    found = dict.fromkeys(wanted, 0)
    most = residues[-1]
    window = [0] * (most - 1) + [1]  # of the masses before; of none, 1
    if 0 in found:
        found[0] = 1
    places = [-a for a in residues]
    for mass in range(1, target + 1):
        count = sum([window[place] for place in places])
        window.append(count)
        if mass in found:
            found[mass] = count
        if len(window) >= 4 * most + 1000:
            del window[:-most]
    return found


def _totient(n: int) -> int:
    """How many of 1..n have no divisor in common with n."""
    result, rest, p = n, n, 2
    while p * p <= rest:
        if rest % p == 0:
            result -= result // p
            while rest % p == 0:
                rest //= p
        p += 1
    return result - result // rest if rest > 1 else result


def _count_symmetric(target: int, residues: list[int]) -> int:
    """Cyclic peptides that are their own reversals.

    An axis runs through two places, each a residue or a bond, and the residues beside it are the same on both sides:
    there are c(m) ways for a side of mass m, and each peptide is counted for two axes, or one place of each.
    """
    masses = np.array(residues)
    ends = np.zeros(2 * residues[-1] + 1, np.int64)  # ways of the two ends of an axis, by their mass
    ends[0] = 1
    ends[masses] = 2
    for residue in residues:
        ends[residue + masses] += 1
    sides = {mass: (target - mass) // 2 for mass in np.flatnonzero(ends).tolist()}
    sides = {mass: side for mass, side in sides.items() if side >= 0 and 2 * side + mass == target}
    if not sides:
        return 0
    counts = _counts(max(sides.values()), residues, sides.values())
    return sum(int(ends[mass]) * counts[side] for mass, side in sides.items()) // 2
