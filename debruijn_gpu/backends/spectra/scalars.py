"""Match masses of a peptide with peaks: scalar functions of both backends.

A peptide is given by its prefix masses 0 = p_0 < p_1 < ... < p_n; its subpeptides are their differences. A peak takes
the masses from a low to a high end, both included. Lows ascend and so do highs. The score of a peptide is the greatest
number of pairs of one of its masses and a peak that takes it, such that no mass and no peak is in two pairs. Since both
ends ascend, taking for each mass, in ascending order, the first free peak that takes it gives that number. (Glover,
Naval Research Logistics Quarterly 14 (1967) 313.)

All integers are int64.
"""

from __future__ import annotations


def sort_differences(positions, n_positions, masses):
    """Write 0 and all differences of ascending positions, in ascending order; how many these are.

    Parameters
    ----------
    positions : in, int64; ``n_positions`` are used
    masses : out, int64; room for n_positions * (n_positions - 1) / 2 + 1
    """
    masses[0] = 0
    n_masses = 1
    for last in range(1, n_positions):
        # Merge those to the last position, which ascend from its neighbour to the first one, from the back.
        at, old, position = n_masses + last - 1, n_masses - 1, 0
        while position < last:
            mass = positions[last] - positions[position]
            if masses[old] > mass:
                masses[at] = masses[old]
                old -= 1
            else:
                masses[at] = mass
                position += 1
            at -= 1
        n_masses += last
    return n_masses


def count_matches(masses, n_masses, others, n_others, base, lows, highs):
    """The score of two lists of masses together.

    Parameters
    ----------
    masses : in, int64, ascending; ``n_masses`` are used, 1 or more
    others : in, int64, ascending; the second list is ``base`` less each of the first ``n_others`` of them
    lows, highs : in, int64 (n_peaks,), ascending
    """
    n_peaks = lows.size
    n_matches, peak, i, k = 0, 0, 0, n_others - 1
    while peak < n_peaks and (i < n_masses or k >= 0):
        if i == n_masses or (k >= 0 and base - others[k] < masses[i]):
            mass = base - others[k]
            k -= 1
        else:
            mass = masses[i]
            i += 1
        while peak < n_peaks and highs[peak] < mass:
            peak += 1
        if peak < n_peaks and lows[peak] <= mass:
            n_matches += 1
            peak += 1
    return n_matches
