"""Count peptides of a mass, and find the masses that their prefixes may have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.arithmetic.integers import divisors, totient
from debruijn_gpu.arithmetic.long_numbers import nth_term
from debruijn_gpu.errors import OptionValueError
from debruijn_gpu.peptides.residues import Alphabet
from debruijn_gpu.peptides.spectrum import format_units
from debruijn_gpu.run.tuning import tuning


@dataclass(frozen=True, eq=False)
class PossibleMasses:
    """Masses of prefixes that residues, one at least, can bring to the mass of the peptide.

    Attributes
    ----------
    table : ndarray, dtype=uint8, shape=(n,)
        Whether a mass from i * 2^shift on, and below (i + 1) * 2^shift, may be one.
    shift : int
        Above 0 for large masses; then the table may say so of masses that are none, but not the other way round.
    """

    table: NDArray[np.uint8]
    shift: int

    @property
    def has_empty(self) -> bool:
        """Whether a peptide may exist."""
        return bool(self.table[0])


def possible_masses(residues: NDArray[np.int64], low: int, high: int) -> PossibleMasses:
    """Prefixes of peptides of ``low`` to ``high``.

    The masses are the bits of an integer: shifting it by a residue takes the residue off all of them at once.

    Parameters
    ----------
    residues : ndarray, dtype=int64, shape=(n,)
    low, high : int
        0 or more.
    """
    shift = max(0, high.bit_length() - tuning().reachable_places.bit_length() + 1)
    steps = set()
    for residue in residues.tolist():
        steps.add(residue >> shift)
        if residue & ((1 << shift) - 1):  # the sum with what a mass is beyond its place may come to the next one
            steps.add((residue >> shift) + 1)
    n_places = (high >> shift) + 1
    ends = (1 << n_places) - (1 << (low >> shift))
    reached = ends
    for step in sorted(steps - {0}):
        multiple = step
        while multiple < n_places:
            reached |= reached >> multiple
            multiple *= 2
    prefixes = 0
    for step in steps:
        prefixes |= reached >> step
    packed = np.frombuffer(prefixes.to_bytes((n_places + 7) // 8, "little"), np.uint8)
    return PossibleMasses(np.unpackbits(packed, bitorder="little", count=n_places), shift)


_MOST_SECONDS = 60.0  # that counting may take, about
_FEW_SECONDS = 0.5  # within which masses are counted one by one
_MOST_WINDOW = 1 << 25  # counts that are kept while masses are counted one by one
_GROWTH_SCALE = 10_000
_DIGITS_PER_BIT = math.log10(2)


def count_peptides(mass: int, alphabet: Alphabet) -> int:
    """Count linear peptides of a mass: sequences of residues, where those of one mass, such as I and L, are one.

    c(0) = 1, and c(m) is the sum of c(m - a) over the residues a.

    Parameters
    ----------
    mass : int
        0 or more, in units of the alphabet.
    alphabet : Alphabet

    Raises
    ------
    OptionValueError
        If counting takes longer than about a minute.
    """
    reduced = _reduced(mass, alphabet, n_terms=1)
    if reduced is None:
        return int(mass == 0)
    target, residues = reduced
    return _weighted_counts([target], {0: 1}, residues)[target]


def count_cyclopeptides(mass: int, alphabet: Alphabet, *, mirrored: bool = False) -> int:
    """Count cyclic peptides of a mass, above 0: sequences of residues up to rotation.

    By Burnside's lemma that is the sum over all k that divide the mass of phi(k) s(mass / k) / mass, where s(m), the
    sum of a c(m - a) over the residues a, counts linear peptides of mass m with a place of them marked.

    Parameters
    ----------
    mass : int
    alphabet : Alphabet
    mirrored : bool
        Whether a peptide and its reversal, which have the same spectrum, are one.

    Raises
    ------
    OptionValueError
        If counting takes longer than about a minute.
    """
    reduced = _reduced(mass, alphabet, n_terms=3)
    if reduced is None or mass == 0:
        return 0
    target, residues = reduced
    masses = divisors(target)
    marked = _weighted_counts(masses, {a: a for a in residues}, residues)
    n_cycles = sum(totient(target // m) * marked[m] for m in masses) // target
    return (n_cycles + _count_symmetric(target, residues)) // 2 if mirrored else n_cycles


def _reduced(mass: int, alphabet: Alphabet, n_terms: int) -> tuple[int, list[int]] | None:
    """Mass, and residues that are not heavier, by the greatest common divisor of all; None if no peptide has it."""
    residues = alphabet.masses.tolist()
    divisor = math.gcd(*residues)
    if mass < 0 or mass % divisor:
        return None
    light = [a // divisor for a in residues if a <= mass]
    if not light:
        return None
    target = mass // divisor
    if _Work(light).seconds(target) * n_terms > _MOST_SECONDS:
        most = format_units(_most_mass(target, light, n_terms) * divisor, alphabet.decimals)
        raise OptionValueError(
            f"expected a mass of at most {most}, whose peptides are counted in about a minute, "
            f"got {format_units(mass, alphabet.decimals)}",
            "give a smaller mass, or residues of fewer decimals",
        )
    return target, light


class _Work:
    """About how long counting takes on one core, by measurements."""

    def __init__(self, residues: list[int]) -> None:
        self._residues = residues
        self._growth = _growth(residues)

    def one_by_one(self, mass: int) -> float:
        """Seconds to count for all masses up to one."""
        if self._residues[-1] > _MOST_WINDOW or mass > 1 << 40:
            return math.inf
        return 5e-8 * mass * len(self._residues) * (1 + self._growth * mass / 10_000)

    def of_power(self, mass: int) -> float:
        """Seconds for a power of x modulo the characteristic polynomial."""
        order = self._residues[-1]
        n_digits = mass * self._growth * _DIGITS_PER_BIT
        n_operations = mass.bit_length() * order * len(self._residues) + order * order
        return 5e-7 * n_operations + (5e-7 + 2e-10 * order) * order * n_digits

    def seconds(self, mass: int) -> float:
        """Seconds in the faster way."""
        return min(self.one_by_one(mass), self.of_power(mass))


def _growth(residues: list[int]) -> float:
    """Bits by which counts grow for each unit of mass: log2 of the x for which the sum of x^-a is 1, rounded up."""
    masses, low, high = np.array(residues, np.float64), 0.0, 64.0
    for _ in range(32):
        middle = (low + high) / 2
        low, high = (middle, high) if np.exp2(-middle * masses).sum() > 1 else (low, middle)
    return math.ceil(high * _GROWTH_SCALE) / _GROWTH_SCALE


def _most_mass(target: int, residues: list[int], n_terms: int) -> int:
    """About the largest mass below a target that does not take too long, in two digits."""
    low, high = 0, min(target, 1 << 40)
    while high - low > 1 + high // 100:
        middle = (low + high) // 2
        light = [a for a in residues if a <= middle]
        fits = not light or _Work(light).seconds(middle) * n_terms <= _MOST_SECONDS
        low, high = (middle, high) if fits else (low, middle)
    unit: int = 10 ** max(0, len(str(low)) - 2)
    return low // unit * unit


def _weighted_counts(masses: Iterable[int], weights: Mapping[int, int], residues: list[int]) -> dict[int, int]:
    """For each of some masses m, the sum of ``weights[j]`` c(m - j), where c counts linear peptides.

    Small masses are counted one by one. The sums obey the recurrence of c, so each of the large ones is a term of it.
    """
    heaviest, span = residues[-1], max(weights)
    wanted = sorted(masses)
    most = wanted[-1]
    work = _Work(residues)
    if work.one_by_one(most) > max(_FEW_SECONDS, work.of_power(most)):
        one_by_one = (m for m in reversed(wanted) if work.one_by_one(m) <= _FEW_SECONDS)
        most = next(one_by_one, 0)
    small = [m for m in wanted if m <= most]
    counts = _counts(max(most, span), residues, {m - j for m in (*small, *range(span + 1)) for j in weights if m >= j})
    found = {m: sum(n * counts[m - j] for j, n in weights.items() if m >= j) for m in (*small, *range(span + 1))}
    coefficients = [0] * heaviest
    for residue in residues if len(small) < len(wanted) else ():
        coefficients[residue - 1] = 1
    start = span - heaviest + 1  # from `heaviest` terms from here on, all others follow
    first = [found.get(m, 0) for m in range(start, span + 1)]
    return {m: found[m] if m in found else nth_term(first, coefficients, m - start) for m in wanted}


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
        if len(window) >= 2 * most + 1000:
            del window[:-most]
    return found


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
    odd = target % 2
    weights = {(mass - odd) // 2: int(ends[mass]) for mass in np.flatnonzero(ends).tolist() if mass % 2 == odd}
    return _weighted_counts([target // 2], weights, residues)[target // 2] // 2 if weights else 0
