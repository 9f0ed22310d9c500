"""Slow, obvious twins of the training of maps and of the watershed."""

from __future__ import annotations

from decimal import Decimal, localcontext

from tests.naive import vectors as naive


def log2_floor(number, bits):
    """floor(2^bits log2(number)), by powers of exact integers."""
    return (number ** (1 << bits)).bit_length() - 1


def gaussian(radius, n, bits):
    """Weights exp(-d^2 / (2 radius^2)) of n distances, rounded; those from the first 0 on are left out."""
    with localcontext() as context:
        context.prec = 60
        weights = [
            int((Decimal(-d * d) / (2 * radius * radius)).exp() * (1 << bits) + Decimal("0.5")) for d in range(n)
        ]
    return weights[: weights.index(0)] if 0 in weights else weights


def steps(first, second, length, is_torus):
    """Distance of two positions of an axis."""
    gap = abs(first - second)
    return min(gap, length - gap) if is_torus else gap


def train_epoch(vectors, weights, shape, tables, is_torus, distance, shift, bits, least):
    """One epoch of a batch map, unit by unit: rounded sums over columns of units first, as the definition says."""
    rows, columns = shape
    units, _distances = naive.best_matching_units(vectors, weights, distance)
    sums = naive.sum_by_unit(vectors, units, rows * columns, 1 << bits)
    width = len(sums[0])
    sums = naive.smooth(sums, (1, rows, columns * width), tables[0], is_torus, shift)
    sums = naive.smooth(sums, (rows, columns, width), tables[1], is_torus, 0)
    return naive.move_weights(sums, weights, bits, least)


def u_matrix(weights, rows, columns, is_torus):
    """Mean Euclidean distance of each unit to those beside it, as a float."""
    found = []
    for unit in range(rows * columns):
        row, column = divmod(unit, columns)
        beside = set()
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            place = (row + down, column + right)
            y, x = (place[0] % rows, place[1] % columns) if is_torus else place
            if 0 <= y < rows and 0 <= x < columns:
                beside.add(y * columns + x)
        beside.discard(unit)
        gaps = [
            sum((int(a) - int(b)) ** 2 for a, b in zip(weights[unit], weights[o], strict=True)) ** 0.5 for o in beside
        ]
        found.append(sum(gaps) / len(gaps) if gaps else 0.0)
    return found


def watershed(heights, beside, least_depth):
    """Basins by repeated flooding, level by level; the lowest unit names a basin."""
    order = sorted(range(len(heights)), key=lambda unit: (heights[unit], unit))
    rank = {unit: i for i, unit in enumerate(order)}
    basin = {}
    for unit in order:
        flooded = [other for other in beside[unit] if other >= 0 and other in basin]
        if not flooded:
            basin[unit] = unit
            continue
        basin[unit] = basin[min(flooded, key=rank.__getitem__)]
        names = sorted({basin[other] for other in flooded}, key=rank.__getitem__)
        for name in names[1:]:
            if heights[unit] - heights[name] < least_depth:
                basin = {each: names[0] if of == name else of for each, of in basin.items()}
    return [basin[unit] for unit in range(len(heights))]
