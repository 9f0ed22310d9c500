"""Measured rates of the stages from reads to unitigs, of one core: the numbers behind plans for clusters.

`doctor.stage_rates` measures them on a machine; they are kept as JSON, which names it.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any

from debruijn_gpu.errors import FormatError

_FIX = "measure them with dbg doctor --calibrate, or correct the file"


@dataclass(frozen=True)
class StageRates:
    """Rates of one core.

    Attributes
    ----------
    machine : str
        On which they were measured.
    inflate_s_per_base : float
        Seconds for each base of a compressed file, beside those for reading.
    read_s_per_base : float
        Read, parse and split into super-k-mers.
    count_s_per_kmer : float
        Count, for each occurrence, and scatter what is kept to partitions.
    compact_s_per_kmer : float
        Compact a partition, for each distinct k-mer that is kept.
    glue_s_per_segment : float
        Glue the segments of all partitions, in one process.
    segments_per_kmer : float
        Segments for each distinct k-mer of sequence without branches.
    """

    machine: str
    inflate_s_per_base: float
    read_s_per_base: float
    count_s_per_kmer: float
    compact_s_per_kmer: float
    glue_s_per_segment: float
    segments_per_kmer: float

    def as_json(self) -> dict[str, Any]:
        """Return members for JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, found: Any, name: str) -> StageRates:
        """Check rates that were read from JSON.

        Parameters
        ----------
        found : object
        name : str
            Of the file, for messages.

        Raises
        ------
        FormatError
            If they are none.
        """
        names = [field.name for field in fields(cls)]
        if not isinstance(found, dict) or sorted(found) != sorted(names):
            raise FormatError(f"{name}: expected an object with the members {', '.join(names)}", _FIX)
        if not isinstance(found["machine"], str):
            raise FormatError(f"{name}: machine is not a string", _FIX)
        for member in names[1:]:
            value = found[member]
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
                raise FormatError(f"{name}: {member} is not a number above 0", _FIX)
        return cls(found["machine"], *(float(found[member]) for member in names[1:]))


#: Measured by `doctor.stage_rates`
DEFAULT_RATES = StageRates(
    machine="a core of an Intel Xeon, shared with other jobs",
    inflate_s_per_base=3.6e-9,
    read_s_per_base=1.2e-8,
    count_s_per_kmer=2.5e-8,
    compact_s_per_kmer=4.3e-7,
    glue_s_per_segment=2.6e-7,
    segments_per_kmer=0.09,
)
