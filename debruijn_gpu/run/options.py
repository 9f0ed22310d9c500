"""What a user can set. Every default stands here once; the command line reads it from here."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path

from debruijn_gpu.errors import ParameterError, UsageError

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
    """Return a smallest count if it is one: 1 or more, and no more than counts go."""
    if not 1 <= min_count <= COUNT_MAX:
        raise ParameterError(f"--min-count is {min_count}", f"give a number from 1 to {COUNT_MAX}")
    return min_count


def parse_k_list(text: str) -> tuple[int, ...]:
    """``auto`` gives (), ``31`` gives (31,), ``21,33`` gives (21, 33)."""
    if text == "auto":
        return ()
    try:
        ks = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"-k {text}: not a number", "give an odd number, or auto") from None
    return tuple(check_assembly_k(k) for k in ks)


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


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How to run, whatever is run; nothing here changes a result."""

    threads: int = 0  # 0: as many as affinity and cgroup allow
    memory: str = "0.8"  # a size, or a fraction of what is available
    gpu_memory: str = "0.9"  # a size, or a fraction of the GPU's memory
    backend: str = "auto"
    tmp_dir: Path | None = None  # None: the output directory, or else the system's

    def __post_init__(self) -> None:
        if self.threads < 0:
            raise ParameterError(f"-t/--threads is {self.threads}", "give 1 or more, or 0 for all that are allowed")
        if self.backend not in BACKENDS:
            raise UsageError(f"--backend {self.backend}: no such backend", f"choose one of {', '.join(BACKENDS)}")

    def with_tmp_dir(self, directory: Path) -> RunOptions:
        """The same with temporary files in a directory, unless one was chosen."""
        return self if self.tmp_dir is not None else replace(self, tmp_dir=directory)


@dataclass(frozen=True, kw_only=True)
class ReadInputs:
    """The read files as the user gave them; ``-`` is standard input."""

    single: tuple[str, ...] = ()
    first: tuple[str, ...] = ()  # mates 1, file i belongs to second[i]
    second: tuple[str, ...] = ()
    interleaved: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.first) != len(self.second):
            raise UsageError(
                f"{len(self.first)} files of first mates (-1) but {len(self.second)} of second mates (-2)",
                "give -1 and -2 the same number of times, in the same order",
            )
        if not (self.single or self.first or self.interleaved):
            raise UsageError("no reads given", "name a FASTA or FASTQ file, or - for standard input")
        if self.paths.count("-") > 1:
            raise UsageError("standard input (-) is given more than once", "read it once")

    @property
    def paths(self) -> tuple[str, ...]:
        """All files, in the order in which they are read."""
        pairs = tuple(path for pair in zip(self.first, self.second, strict=True) for path in pair)
        return (*self.single, *pairs, *self.interleaved)


@dataclass(frozen=True, kw_only=True)
class CountOptions:
    """How k-mers are counted."""

    k: int = 21
    canonical: bool = True  # a k-mer and its reverse complement are one
    min_count: int = 1

    def __post_init__(self) -> None:
        check_k(self.k)
        check_min_count(self.min_count)


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


@dataclass(frozen=True, kw_only=True)
class UnitigOptions:
    """How reads become a compacted graph, or strings that hold its k-mers."""

    k: int = 31
    min_count: int | None = None  # None: chosen from the spectrum
    clean: CleanOptions | None = field(default_factory=CleanOptions)  # None: the raw graph
    tigs: str = "unitigs"
    graph_format: str = "fasta"

    def __post_init__(self) -> None:
        check_assembly_k(self.k)
        if self.graph_format not in GRAPH_FORMATS:
            raise UsageError(
                f"--format {self.graph_format}: no such format", f"choose one of {', '.join(GRAPH_FORMATS)}"
            )
        if self.tigs not in TIGS:
            raise UsageError(f"--tigs {self.tigs}: no such strings", f"choose one of {', '.join(TIGS)}")
        if self.tigs == "eulertigs" and self.graph_format == "gfa":
            raise UsageError(
                "--tigs eulertigs in the format gfa: eulertigs have no links, and so are no graph",
                "write them as fasta (--format fasta), or take --tigs unitigs",
            )


@dataclass(frozen=True, kw_only=True)
class AssembleOptions:
    """How reads become contigs."""

    ks: tuple[int, ...] = ()  # (): chosen from read lengths and spectrum
    min_count: int | None = None  # None: chosen from the spectrum
    min_contig_bp: int = 200
    walk: str = "unitigs"
    name: str = "contigs"  # of the assembly, in reports
    clean: CleanOptions | None = field(default_factory=CleanOptions)  # None: the raw graph

    def __post_init__(self) -> None:
        for k in self.ks:
            check_assembly_k(k)
        if not self.name.strip() or not self.name.isprintable():
            raise ParameterError(f"--name is {self.name!r}", "give a word that can be printed, ecoli1 say")
        if len(self.ks) > 1:
            raise ParameterError(
                f"-k {','.join(map(str, self.ks))}: several k are not supported yet", "give one k, or auto"
            )
        if self.min_contig_bp < 0:
            raise ParameterError(f"--min-contig is {self.min_contig_bp}", "give 0 or more")
        if self.walk not in WALKS:
            raise UsageError(f"--walk {self.walk}: no such walk", f"choose one of {', '.join(WALKS)}")


@dataclass(frozen=True, kw_only=True)
class StatsOptions:
    """Which contigs count."""

    min_contig_bp: int = 0  # QUAST: 500

    def __post_init__(self) -> None:
        if self.min_contig_bp < 0:
            raise ParameterError(f"--min-contig is {self.min_contig_bp}", "give 0 or more")


@dataclass(frozen=True, kw_only=True)
class SimulateOptions:
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

    def __post_init__(self) -> None:
        if self.length_bp < 1:
            raise ParameterError(f"--length is {self.length_bp}", "give 1 or more")
        if not 0 < self.depth < math.inf:
            raise ParameterError(f"--depth is {self.depth:g}", "give a number above 0")
        for name, rate in (("--sub-rate", self.sub_rate), ("--indel-rate", self.indel_rate)):
            if not 0 <= rate <= 1:
                raise ParameterError(f"{name} is {rate:g}", "give errors per base, a number from 0 to 1")
        if self.sub_rate + self.indel_rate > 1:
            raise ParameterError(
                f"--sub-rate and --indel-rate make {self.sub_rate + self.indel_rate:g}", "give at most 1"
            )
        if self.paired and self.insert_bp < self.length_bp:
            raise ParameterError(
                f"--insert is {self.insert_bp}, shorter than the reads of {self.length_bp}",
                "give the length of the fragment, both reads included",
            )
        if not 0 <= self.insert_sd_bp <= _MOST_INSERT_BP:
            raise ParameterError(f"--insert-sd is {self.insert_sd_bp:g}", f"give 0 to {_MOST_INSERT_BP}")
        if self.paired and self.insert_bp > _MOST_INSERT_BP:
            raise ParameterError(f"--insert is {self.insert_bp}", f"give at most {_MOST_INSERT_BP}")
        if self.seed < 0:
            raise ParameterError(f"--seed is {self.seed}", "give 0 or more")
