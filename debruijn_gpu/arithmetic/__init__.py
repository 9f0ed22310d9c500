"""Integers: recurrences, divisors, and conversion of numbers of millions of digits."""
