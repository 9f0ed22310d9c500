"""Options of read files and of read simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from debruijn_gpu.errors import UsageError
from debruijn_gpu.run.checks import Checked, at_least, between, ensure
from debruijn_gpu.run.plain_text import counted

_MOST_INSERT_BP = 1_000_000_000
_RATE = "give errors per base, a number from 0 to 1"


@dataclass(frozen=True, kw_only=True)
class ReadInputs(Checked):
    """The read files as the user gave them; ``-`` is standard input."""

    single: tuple[str, ...] = ()
    first: tuple[str, ...] = ()  # mates 1, file i belongs to second[i]
    second: tuple[str, ...] = ()
    interleaved: tuple[str, ...] = ()

    checks = (
        ensure(
            lambda inputs: len(inputs.first) == len(inputs.second),
            lambda inputs: (
                f"{counted(len(inputs.first), 'file')} of first mates (-1) "
                f"but {len(inputs.second)} of second mates (-2)"
            ),
            "give -1 and -2 the same number of times, in the same order",
            UsageError,
        ),
        ensure(
            lambda inputs: bool(inputs.paths),
            lambda _inputs: "no reads given",
            "name a FASTA or FASTQ file, or - for standard input",
            UsageError,
        ),
        ensure(
            lambda inputs: inputs.paths.count("-") <= 1,
            lambda _inputs: "standard input (-) is given more than once",
            "read it once",
            UsageError,
        ),
    )

    @property
    def n_paired(self) -> int:
        """Number of paired inputs: pairs of files, and interleaved ones."""
        return len(self.first) + len(self.interleaved)

    @property
    def paths(self) -> tuple[str, ...]:
        """All files, in the order in which they are read."""
        pairs = tuple(path for pair in zip(self.first, self.second, strict=True) for path in pair)
        return (*self.single, *pairs, *self.interleaved)


@dataclass(frozen=True, kw_only=True)
class SimulateOptions(Checked):
    """Options of read simulation."""

    length_bp: int = 150
    depth: float = 30.0
    n_reads: int | None = None  # reads, or pairs; None: by depth
    paired: bool = False
    insert_bp: int = 400
    insert_sd_bp: float = 40.0
    sub_rate: float = 0.002
    indel_rate: float = 0.0001
    circular: bool = False
    truth: bool = False  # names tell the origin
    seed: int = 1

    option_names: ClassVar = {"n_reads": "--reads"}
    checks = (
        at_least("length_bp", 1),
        at_least("n_reads", 1),
        ensure(
            lambda options: 0 < options.depth < math.inf,
            lambda options: f"--depth is {options.depth:g}",
            "give a number above 0",
        ),
        between("sub_rate", 0, 1, _RATE),
        between("indel_rate", 0, 1, _RATE),
        ensure(
            lambda options: options.sub_rate + options.indel_rate <= 1,
            lambda options: f"--sub-rate and --indel-rate add up to {options.sub_rate + options.indel_rate:g}",
            "give at most 1",
        ),
        ensure(
            lambda options: not options.paired or options.insert_bp >= options.length_bp,
            lambda options: f"--insert is {options.insert_bp}, shorter than the reads of {options.length_bp}",
            "give the length of the fragment, both reads included",
        ),
        between("insert_sd_bp", 0, _MOST_INSERT_BP),
        ensure(
            lambda options: not options.paired or options.insert_bp <= _MOST_INSERT_BP,
            lambda options: f"--insert is {options.insert_bp}",
            f"give at most {_MOST_INSERT_BP:,}",
        ),
        at_least("seed", 0),
    )
