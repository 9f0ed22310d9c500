"""Options of self-organizing maps and of binning."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import ClassVar

from debruijn_gpu.errors import UsageError
from debruijn_gpu.run.checks import Checked, at_least, between, ensure, one_of
from debruijn_gpu.run.plain_text import shorten

DISTANCES = ("euclidean", "taxicab")
TOPOLOGIES = ("torus", "plane")
SCALES = ("none", "range", "deviation")
#: Units along a side of a map, and radius of a neighbourhood, at most
MOST_SIDE = 4096
MOST_EPOCHS = 1_000_000
_SIDES = re.compile(r"(\d{1,6})[xX](\d{1,6})", re.ASCII)


def parse_map(text: str) -> tuple[int, int]:
    """Parse ``ROWSxCOLUMNS``.

    Raises
    ------
    UsageError
        If the text is not of this form.
    """
    found = _SIDES.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"--map {shorten(text)}: not the size of a map", "give ROWSxCOLUMNS, such as 20x20")
    return int(found[1]), int(found[2])


def _is_radius(radius: float | None) -> bool:
    return radius is None or (math.isfinite(radius) and 0.1 <= radius <= MOST_SIDE)


@dataclass(frozen=True, kw_only=True)
class SomOptions(Checked):
    """How a self-organizing map is trained."""

    rows: int = 20
    columns: int = 20
    topology: str = "torus"
    distance: str = "euclidean"
    epochs: int = 50
    start_radius: float | None = None  # None: a quarter of the longer side
    end_radius: float = 1.0  # standard deviation of the Gaussian neighbourhood, in units
    scale: str = "none"
    seed: int = 0

    option_names: ClassVar = {"rows": "--map", "columns": "--map"}
    checks = (
        between("rows", 1, MOST_SIDE, f"give a map of 1 to {MOST_SIDE:,} rows and columns, such as 20x20"),
        between("columns", 1, MOST_SIDE, f"give a map of 1 to {MOST_SIDE:,} rows and columns, such as 20x20"),
        one_of("topology", TOPOLOGIES),
        one_of("distance", DISTANCES),
        one_of("scale", SCALES),
        between("epochs", 1, MOST_EPOCHS),
        at_least("seed", 0),
        ensure(
            lambda options: _is_radius(options.start_radius),
            lambda options: f"--start-radius is {options.start_radius:g}",
            f"give a number of units from 0.1 to {MOST_SIDE:,}",
        ),
        ensure(
            lambda options: _is_radius(options.end_radius),
            lambda options: f"--end-radius is {options.end_radius:g}",
            f"give a number of units from 0.1 to {MOST_SIDE:,}",
        ),
    )

    @property
    def n_units(self) -> int:
        """Number of units of the map."""
        return self.rows * self.columns

    @property
    def is_torus(self) -> bool:
        """Whether opposite sides of the map are neighbours."""
        return self.topology == "torus"


@dataclass(frozen=True, kw_only=True)
class BinOptions(Checked):
    """Which contigs are binned, and how."""

    min_length: int = 2500  # of contigs that shape the map; shorter ones are only assigned
    min_assigned: int = 1000  # of contigs that are assigned to a bin
    min_bin: int = 20_000  # bases; smaller bins are given up
    window: int | None = None  # bases; None: by the number of bases
    map_size: tuple[int, int] | None = None  # None: by the number of windows
    distance: str = "euclidean"
    epochs: int = 50
    seed: int = 0

    option_names: ClassVar = {"map_size": "--map"}
    checks = (
        at_least("min_length", 500),
        at_least("min_assigned", 100),
        at_least("min_bin", 0),
        between("window", 500, 1_000_000),
        one_of("distance", DISTANCES),
        between("epochs", 1, MOST_EPOCHS),
        at_least("seed", 0),
    )
