"""Find cyclic peptides of an ideal mass spectrum; see `HostSpectrumOperations`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import copy_items
from debruijn_gpu.backends.spectra.protocol import IdealSearch

_MOST_FOUND = 1024  # peptides of a call


@lean_kernel
def _find(values, wanted):
    """Position of a value in ascending int64 values; -1 if it is not there."""
    low, high = 0, values.size
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < values.size and values[low] == wanted else -1


@lean_kernel
def _take_arcs(positions, level, total, arcs, n_free, used):
    """Use the arcs between the position behind ``level`` residues and those before it; whether all are there.

    If not, none is used.

    Parameters
    ----------
    positions : in, int64 (n + 1,)
    level, total : int64
    arcs : in, int64 (n_arcs,)
    n_free : in and out, int64 (n_arcs,)
    used : out, int64; at (level - 1) * level / 2 and behind
    """
    begin = (level - 1) * level // 2
    for i in range(level):
        mass = positions[level] - positions[i]
        arc = _find(arcs, min(mass, total - mass))
        if arc < 0 or n_free[arc] == 0:
            _free_arcs(begin, begin + i, n_free, used)
            return False
        n_free[arc] -= 1
        used[begin + i] = arc
    return True


@lean_kernel
def _free_arcs(begin, end, n_free, used):
    """Give arcs back."""
    for i in range(begin, end):
        n_free[used[i]] += 1


@lean_kernel
def _period(word, period, level, residue):
    """Period of a prenecklace of some letters and one more, which is at least the one a period before."""
    return period if level and residue == word[level - period] else level + 1


@lean_kernel
def _closing(residues, word, period, rest):
    """The residue that makes a necklace of all but the last letter of a word; -1 if there is none of mass ``rest``."""
    level = word.size - 1
    residue = _find(residues, rest)
    if residue < word[level - period] or word.size % _period(word, period, level, residue):
        return -1
    return residue


@kernel
def _search(residues, total, parts, letters, level, n_steps, found):
    """Search for ``n_steps``, or until there is no more room; return the level, and the number of peptides found.

    Parameters
    ----------
    residues, total, level : see `IdealSearch`
    parts : in and out; arcs, n_free and used, see `IdealSearch`
    letters : in and out; word, periods and positions, see `IdealSearch`
    n_steps : int64
    found : out, int64 (n_room, n)
    """
    arcs, n_free, used = parts
    word, periods, positions = letters
    n, n_residues = word.size, residues.size
    least, most = residues[word[0]], residues[-1]
    n_found = 0
    for _ in range(n_steps):
        if n_found == found.shape[0]:
            break
        period = periods[level]
        go_back = False
        if level == n - 1:
            residue = _closing(residues, word, period, total - positions[level])
            if residue >= 0:
                word[level] = residue
                copy_items(word, found[n_found])
                n_found += 1
            go_back = True
        else:
            n_after, residue = n - 1 - level, word[level]
            if residue == n_residues or positions[level] + residues[residue] + n_after * least > total:
                go_back = True
            else:
                positions[level + 1] = positions[level] + residues[residue]
                if positions[level + 1] + n_after * most >= total and _take_arcs(
                    positions, level + 1, total, arcs, n_free, used
                ):
                    level += 1
                    periods[level] = _period(word, period, level - 1, residue)
                    word[level] = word[level - periods[level]]
                else:
                    go_back = level == 0  # its residue is given
                    word[level] += 1
        if go_back:
            if level <= 1:
                return -1, n_found
            _free_arcs((level - 1) * level // 2, level * (level + 1) // 2, n_free, used)
            level -= 1
            word[level] += 1
    return level, n_found


def search_ideal(search: IdealSearch, n_steps: int) -> NDArray[np.int64]:
    """See `HostSpectrumOperations.search_ideal`."""
    found = np.empty((_MOST_FOUND, search.word.size), np.int64)
    search.level, n_found = _search(
        search.residues,
        search.total,
        (search.arcs, search.n_free, search.used),
        (search.word, search.periods, search.positions),
        search.level,
        n_steps,
        found,
    )
    return found[:n_found].copy()
