"""Evaluate a program on the counts of a k-mer in several sets: scalar functions of both backends."""

from __future__ import annotations

import numpy as np

# operations
LOAD = 0  # the count in a set
UNION = 1
INTERSECT = 2
SUBTRACT = 3  # k-mers of the left operand that the right one lacks
DIFFERENCE = 4  # counts of the left operand less those of the right one
OVER_ALL = 5  # all sets at once: k-mers that are in enough of them, and not in too many

# rules for the count of a k-mer that both operands have
SUM = 0
MIN = 1
MAX = 2
LEFT = 3
RIGHT = 4
DIFF = 5

ZERO = np.uint64(0)


def by_rule(rule, left, right):
    """Combine two counts (uint64) that are both above 0."""
    if rule == SUM:
        return left + right
    if rule == MIN:
        return min(left, right)
    if rule == MAX:
        return max(left, right)
    if rule == LEFT:
        return left
    if rule == RIGHT:
        return right
    return left - right if left > right else ZERO


def combine(operation, rule, left, right):
    """Combine the counts (uint64) of two operands; 0 stands for absent."""
    if left != ZERO and right != ZERO:
        if operation == SUBTRACT:
            return ZERO
        return by_rule(DIFF if operation == DIFFERENCE else rule, left, right)
    if operation == INTERSECT:
        return ZERO
    return left + right if operation == UNION else left


def over_all(rule, least, most, counts, i):
    """Combine the counts (sets, n) of k-mer i, if it is in ``least`` to ``most`` of the sets; else 0."""
    found = ZERO
    n_present = 0
    for s in range(counts.shape[0]):
        count = np.uint64(counts[s, i])
        if count != ZERO:
            if n_present == 0:
                found = count
            elif found != ZERO:  # a difference that is 0 already stays 0
                found = by_rule(rule, found, count)
            n_present += 1
    return found if least <= n_present <= most else ZERO


def evaluate(steps, counts, i, stack):
    """Run a program on the counts (sets, n) of k-mer i; column i of the stack (depth, n), uint64, is overwritten."""
    depth = 0
    for s in range(steps.shape[0]):
        operation = steps[s, 0]
        if operation == LOAD:
            stack[depth, i] = np.uint64(counts[steps[s, 1], i])
            depth += 1
        elif operation == OVER_ALL:
            stack[depth, i] = over_all(steps[s, 1], steps[s, 2], steps[s, 3], counts, i)
            depth += 1
        else:
            depth -= 1
            stack[depth - 1, i] = combine(operation, steps[s, 1], stack[depth - 1, i], stack[depth, i])
    return stack[0, i]
