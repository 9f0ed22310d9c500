"""Reach of a neighbourhood along an axis of a map, and rounded division: scalar functions of both backends."""

from __future__ import annotations


def reach_before(position, length, n_distances, is_torus):
    """Positions of an axis before one that its neighbourhood contains (int64).

    Parameters
    ----------
    position, length : int64
    n_distances : int64
        Distances whose weight is not 0, with 0 itself.
    is_torus : bool
        Whether the axis is a cycle; each position counts once.
    """
    return min(n_distances - 1, (length - 1) // 2 if is_torus else position)


def reach_behind(position, length, n_distances, is_torus):
    """Positions of an axis behind one that its neighbourhood contains (int64); see `reach_before`."""
    return min(n_distances - 1, length // 2 if is_torus else length - 1 - position)


def wrapped(position, length):
    """The position on a cycle (int64) of one that is less than its length outside."""
    if position < 0:
        return position + length
    return position - length if position >= length else position


def shifted(total, shift):
    """A sum (int64) divided by 2^shift, rounded to the nearest integer, half up."""
    return (total + ((1 << shift) >> 1)) >> shift


def quotient(numerator, denominator):
    """A ratio of integers (int64), rounded to the nearest integer, half up; the denominator is above 0."""
    return (numerator + (denominator >> 1)) // denominator
