"""Options of runs, reads and assemblies. Each default is defined here once; the command line reads it from here."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from debruijn_gpu.errors import ParameterError, UsageError
from debruijn_gpu.run.checks import Checked, at_least, between, check_range, each, ensure, one_of, valid

K_MAX = 127
#: Shortest odd k at which neighbouring k-mers overlap.
LEAST_ASSEMBLY_K = 3
COUNT_MAX = 2**32 - 1
BACKENDS = ("auto", "cpu", "cuda")
WALKS = ("unitigs", "euler")
GRAPH_FORMATS = ("fasta", "gfa")
KMER_FORMATS = ("tsv", "npz")
HISTOGRAM_FORMATS = ("histogram", "tsv")
TIGS = ("unitigs", "eulertigs")


def check_k(k: int) -> int:
    """Return k if k-mers of that length can be counted: 1..127."""
    if not 1 <= k <= K_MAX:
        raise ParameterError(f"k is {k}", f"choose a k from 1 to {K_MAX}")
    return k


def check_assembly_k(k: int) -> int:
    """Return k if unitigs can be made of k-mers of that length: odd and within 3..127."""
    if k % 2 == 0 and 1 <= k <= K_MAX:
        raise ParameterError(
            f"k is {k}, an even number",
            f"choose an odd k such as {max(LEAST_ASSEMBLY_K, k - 1)}: a k-mer of even length may be its own reverse "
            "complement, and so have no strand",
        )
    if not LEAST_ASSEMBLY_K <= k <= K_MAX:
        raise ParameterError(f"k is {k}", f"choose an odd k from {LEAST_ASSEMBLY_K} to {K_MAX}")
    return k


def check_min_count(min_count: int) -> int:
    """Return a minimum count if it is 1 to `COUNT_MAX`."""
    check_range("--min-count", min_count, 1, COUNT_MAX)
    return min_count


def parse_k_list(text: str) -> tuple[int, ...]:
    """``auto`` gives (), ``31`` gives (31,), ``33,21,33`` gives (21, 33)."""
    if text == "auto":
        return ()
    try:
        ks = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"-k {text}: not a number", "give an odd number, or auto") from None
    return tuple(sorted({check_assembly_k(k) for k in ks}))


def parse_min_count(text: str) -> int | None:
    """``auto`` gives None, a number itself."""
    if text == "auto":
        return None
    try:
        min_count = int(text)
    except ValueError:
        raise UsageError(f"--min-count {text}: not a number", "give a number, or auto") from None
    return check_min_count(min_count)


_MOST_INSERT_BP = 1_000_000_000
_RATE = "give errors per base, a number from 0 to 1"


@dataclass(frozen=True, kw_only=True)
class RunOptions(Checked):
    """Runtime settings. They never change results."""

    threads: int = 0  # 0: as many as affinity and cgroup allow
    memory: str = "0.8"  # a size, or a fraction of what is available
    gpu_memory: str = "0.9"  # a size, or a fraction of the GPU's memory
    backend: str = "auto"
    tmp_dir: Path | None = None  # None: the output directory, or else the system's

    option_names: ClassVar = {"threads": "-t/--threads"}
    checks = (
        at_least("threads", 0, "give 1 or more, or 0 for all that are allowed"),
        one_of("backend", BACKENDS),
    )

    def with_tmp_dir(self, directory: Path) -> RunOptions:
        """The same with temporary files in a directory, unless one was chosen."""
        return self if self.tmp_dir is not None else replace(self, tmp_dir=directory)


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
                f"{len(inputs.first)} files of first mates (-1) but {len(inputs.second)} of second mates (-2)"
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
    def paths(self) -> tuple[str, ...]:
        """All files, in the order in which they are read."""
        pairs = tuple(path for pair in zip(self.first, self.second, strict=True) for path in pair)
        return (*self.single, *pairs, *self.interleaved)


@dataclass(frozen=True, kw_only=True)
class CountOptions(Checked):
    """How k-mers are counted."""

    k: int = 21
    canonical: bool = True  # a k-mer and its reverse complement are one
    min_count: int = 1

    checks = (valid("k", check_k), valid("min_count", check_min_count))


@dataclass(frozen=True, kw_only=True)
class CleanOptions:
    """When a part of the graph is an error; lengths in multiples of k, coverages relative to a neighbour's."""

    max_rounds: int = 20
    tip_length: float = 3.0
    tip_ratio: float = 0.5
    short_tip_length: float = 1.0
    chimera_length: float = 3.0
    chimera_ratio: float = 0.2
    bubble_length: float = 3.0
    bubble_ratio: float = 1.0
    bubble_indel: float = 0.05
    isolated_length: float = 2.0
    isolated_ratio: float = 0.5
    #: Ratios before the last of several k. A bubble side of a fifth of the depth is decided later (Li et al. 2015,
    #: MEGAHIT); a connection of a single copy between repeats of many copies is no error.
    early_bubble_ratio: float = 0.2
    early_chimera_ratio: float = 0.05

    @property
    def deferring(self) -> CleanOptions:
        """The options before the last of several k: what is ambiguous there is decided at a larger k."""
        return replace(
            self,
            bubble_ratio=min(self.bubble_ratio, self.early_bubble_ratio),
            chimera_ratio=min(self.chimera_ratio, self.early_chimera_ratio),
        )


@dataclass(frozen=True, kw_only=True)
class UnitigOptions(Checked):
    """How reads become a compacted graph, or strings that hold its k-mers."""

    k: int = 31
    min_count: int | None = None  # None: chosen from the spectrum
    clean: CleanOptions | None = field(default_factory=CleanOptions)  # None: the raw graph
    tigs: str = "unitigs"
    graph_format: str = "fasta"

    option_names: ClassVar = {"graph_format": "--format"}
    checks = (
        valid("k", check_assembly_k),
        one_of("graph_format", GRAPH_FORMATS, "format"),
        one_of("tigs", TIGS, "strings"),
        ensure(
            lambda options: (options.tigs, options.graph_format) != ("eulertigs", "gfa"),
            lambda _options: "--tigs eulertigs in the format gfa: eulertigs have no links, and so are no graph",
            "write them as fasta (--format fasta), or use --tigs unitigs",
            UsageError,
        ),
    )


@dataclass(frozen=True, kw_only=True)
class AssembleOptions(Checked):
    """How reads become contigs."""

    ks: tuple[int, ...] = ()  # (): chosen from read lengths and spectrum
    min_count: int | None = None  # None: chosen from the spectrum
    min_contig_bp: int = 200
    walk: str = "unitigs"
    name: str = "contigs"  # of the assembly, in reports
    clean: CleanOptions | None = field(default_factory=CleanOptions)  # None: the raw graph

    option_names: ClassVar = {"min_contig_bp": "--min-contig"}
    checks = (
        each("ks", check_assembly_k),
        ensure(
            lambda options: bool(options.name.strip()) and options.name.isprintable(),
            lambda options: f"--name is {options.name!r}",
            "give a word that can be printed, such as ecoli1",
        ),
        at_least("min_contig_bp", 0),
        one_of("walk", WALKS),
    )


@dataclass(frozen=True, kw_only=True)
class StatsOptions(Checked):
    """Which contigs count."""

    min_contig_bp: int = 0  # QUAST: 500

    option_names: ClassVar = {"min_contig_bp": "--min-contig"}
    checks = (at_least("min_contig_bp", 0),)


@dataclass(frozen=True, kw_only=True)
class SimulateOptions(Checked):
    """How reads are drawn from a genome."""

    length_bp: int = 150
    depth: float = 30.0
    paired: bool = False
    insert_bp: int = 400
    insert_sd_bp: float = 40.0
    sub_rate: float = 0.002
    indel_rate: float = 0.0001
    circular: bool = False
    seed: int = 1

    option_names: ClassVar = {"length_bp": "--length", "insert_bp": "--insert", "insert_sd_bp": "--insert-sd"}
    checks = (
        at_least("length_bp", 1),
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
