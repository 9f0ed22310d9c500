"""Hostile input: mutated files for every parser, and what each must end in."""
