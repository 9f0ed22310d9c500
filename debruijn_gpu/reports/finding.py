"""A finding on an assembly, and helpers that word findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

GOOD, FAIR, POOR, NOTE = "good", "fair", "poor", "note"


@dataclass(frozen=True)
class Finding:
    """The answer to one question about an assembly: rating, figure, reason and advice."""

    question: str
    level: str
    figure: str
    reason: str
    advice: str = ""


def short_bp(length: float) -> str:
    """``73.7 kbp``"""
    for size, unit in ((1e9, "Gbp"), (1e6, "Mbp"), (1e3, "kbp")):
        if length >= 0.99995 * size:
            return f"{length / size:.3g} {unit}" if length < 999.5 * size else f"{length / size:,.0f} {unit}"
    return f"{length:,.0f} bp"


def listed(names: Sequence[str]) -> str:
    """``a, b and c``"""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"
