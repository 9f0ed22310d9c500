"""Limits of tandem arrays and knots between two long unitigs."""

from __future__ import annotations

#: Of tandem arrays and knots between two long unitigs: k-mers of these, at least; unitigs and bases between them, at
#: most (loops of exSPAnder: 1000 bases, 10 edges, 1000 bases)
LEAST_FLANK, MOST_UNITIGS, MOST_BP = 1_000, 10, 1_000
