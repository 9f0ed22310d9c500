"""Options of joint counting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from debruijn_gpu.alphabet import K_MAX
from debruijn_gpu.kmers.options import COUNT_MAX
from debruijn_gpu.run.checks import Checked, between

DEFAULT_K = 31
#: Minimum count of a k-mer by the format of its sample: a single k-mer of a read is nearly always an error
READS_MIN_COUNT = 2


@dataclass(frozen=True, kw_only=True)
class SampleOptions(Checked):
    """How samples are counted."""

    #: Length of the k-mers; None: that of samples that are sets of k-mers, or 31
    k: int | None = None
    #: Whether a k-mer and its reverse complement are one; None: as in samples that are sets of k-mers, or true
    canonical: bool | None = None
    #: Minimum count of a k-mer in a sample; None: 2 in FASTQ, 1 in other files. Samples may have their own.
    hard_min: int | None = None

    option_names: ClassVar = {"k": "-k"}
    checks = (between("k", 1, K_MAX), between("hard_min", 1, COUNT_MAX))
