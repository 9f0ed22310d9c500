"""Options of Euler walks."""

from __future__ import annotations

from dataclasses import dataclass

from debruijn_gpu.run.checks import Checked, excludes, one_of

EULER_ALGORITHMS = ("parallel", "hierholzer")
#: Formats in which walks can be written
WALK_FORMATS = ("text", "sequence", "npy", "npz")


@dataclass(frozen=True, kw_only=True)
class EulerOptions(Checked):
    """Options of Euler walks."""

    algorithm: str = "parallel"
    path: bool = False  # a component may have a path instead of a circuit
    trails: bool = False  # any graph, in the fewest walks that use every edge once
    single: bool = False  # one walk, or an error
    start: str | None = None  # name of the vertex from which to go; None: the smallest edge
    verify: bool = False

    checks = (
        one_of("algorithm", EULER_ALGORITHMS),
        excludes("path", "trails", remedy="leave --path out: trails include paths and circuits"),
    )
