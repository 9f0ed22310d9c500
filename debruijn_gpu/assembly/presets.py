"""Presets of `dbg assemble`: values of options for kinds of samples, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

DEFAULT_PRESET = "isolate"


@dataclass(frozen=True)
class Preset:
    """Option values for one kind of sample.

    Attributes
    ----------
    purpose : str
        What the preset is for, in one line.
    values : mapping of str to str, int or float
        Fields of `AssembleOptions`, `CleanOptions` or `PairOptions`, and their values.
    """

    purpose: str
    values: Mapping[str, str | int | float]


#: Where depths differ along the sample, the depth of the whole decides nothing: neither which reads are left out, nor
#: which side of a bubble is a haplotype, nor the minimum count, which would be that of the deepest part.
_NO_GLOBAL_DEPTH: Mapping[str, str | int | float] = {"max_depth": 0, "haplotype_ratio": 0.0}

PRESETS: Mapping[str, Preset] = {
    DEFAULT_PRESET: Preset("one genome of even depth: a bacterium, a phage, an organelle", {}),
    # Strains: at the last k a side of a bubble may be five times as deep as the other (SPAdes meta). At smaller k those
    # of strains of like depth go as alleles do, which takes the depth of the whole.
    "meta": Preset(
        "several genomes of different depths; strains become one",
        {"min_count": 2, "max_depth": 0, "uneven_bubble_ratio": 5.0, "isolated_ratio": 0.0},
    ),
    # Variants are collapsed at the smallest k, where they are bubbles of their own.
    "amplicon": Preset(
        "amplicons of different depths, as of a virus; variants become one",
        {
            "min_count": 2,
            **_NO_GLOBAL_DEPTH,
            "trim": "pairs",
            "bubble_ratio": 1.1,
            "early_bubble_ratio": 1.0,
            "disconnect_ratio": 0.02,
            "isolated_ratio": 0.0,
        },
    ),
    "plasmid": Preset(
        "plasmids of many copies beside remnants of a chromosome",
        {
            "min_count": 2,
            **_NO_GLOBAL_DEPTH,
            "trim": "pairs",
            "bubble_ratio": 0.5,
            "early_bubble_ratio": 0.1,
            "disconnect_ratio": 0.02,
        },
    ),
    # Where depth varies, that nearby tells copies and chimeras. Rules that compare both sides of each connection
    # (SPAdes' single-cell mode: a tenth) take thin places, and connections that are none.
    "single-cell": Preset(
        "amplified DNA of few cells (MDA): uneven depth",
        {"min_count": 2, "max_depth": 0, "isolated_ratio": 0.0},
    ),
}
