"""Options of unitigs, assembly and statistics."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from debruijn_gpu.alphabet import K_MAX
from debruijn_gpu.assembly.break_options import BreakOptions
from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.assembly.presets import DEFAULT_PRESET, PRESETS
from debruijn_gpu.assembly.variant_options import VariantOptions
from debruijn_gpu.errors import OptionValueError, UsageError
from debruijn_gpu.run.checks import Checked, at_least, check_choice, check_range, each, ensure, one_of, valid
from debruijn_gpu.run.quantities import parse_count

#: Shortest odd k at which neighbouring k-mers overlap.
LEAST_ASSEMBLY_K = 3
WALKS = ("unitigs", "euler")
GRAPH_FORMATS = ("fasta", "gfa")
TRIMS = ("auto", "pairs", "off")
TIGS = ("unitigs", "eulertigs")
#: Start of circular contigs that is no file of genes
SMALLEST_ROTATION = "smallest"


def check_assembly_k(k: int) -> int:
    """Return k if unitigs can be made of k-mers of that length: odd and within 3..255."""
    if k % 2 == 0 and 1 <= k <= K_MAX:
        raise OptionValueError(
            f"k is {k}, an even number",
            f"choose an odd k such as {max(LEAST_ASSEMBLY_K, k - 1)}: a k-mer of even length may be its own reverse "
            "complement, and so have no strand",
        )
    if not LEAST_ASSEMBLY_K <= k <= K_MAX:
        raise OptionValueError(f"k is {k}", f"choose an odd k from {LEAST_ASSEMBLY_K} to {K_MAX}")
    return k


def parse_k_list(text: str) -> tuple[int, ...]:
    """``auto`` gives (), ``31`` gives (31,), ``33,21,33`` gives (21, 33)."""
    if text == "auto":
        return ()
    try:
        ks = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"-k {text}: not a whole number", "give odd numbers separated by commas, or auto") from None
    return tuple(sorted({check_assembly_k(k) for k in ks}))


def parse_percentages(text: str) -> tuple[int, ...]:
    """``10,25`` gives (10, 25)."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        remedy = "give percentages separated by commas, such as 10,25"
        raise UsageError(f"--nx {text}: not a whole number", remedy) from None


def parse_max_depth(text: str) -> int | None:
    """``auto`` gives None, a number itself."""
    if text == "auto":
        return None
    return parse_count(text, "--max-depth")


@dataclass(frozen=True, kw_only=True)
class UnitigOptions(Checked):
    """Options of unitigs: a compacted graph, or strings that hold its k-mers."""

    k: int = 31
    min_count: int | None = None  # None: chosen from the spectrum
    clean: CleanOptions | None = field(default_factory=CleanOptions)  # None: the raw graph
    edge_centric: bool = False  # k-mers are joined only where the (k+1)-mer occurs
    tigs: str = "unitigs"
    graph_format: str = "fasta"

    option_names: ClassVar = {"graph_format": "--format"}
    checks = (
        valid("k", check_assembly_k),
        one_of("graph_format", GRAPH_FORMATS, "format"),
        one_of("tigs", TIGS, "strings"),
        ensure(
            lambda options: not options.edge_centric or options.k < K_MAX,
            lambda options: f"k is {options.k} with --edge-centric, which counts k-mers of {options.k + 1} bases, too",
            f"choose an odd k from {LEAST_ASSEMBLY_K} to {K_MAX - 2}, or leave --edge-centric out",
        ),
        ensure(
            lambda options: (options.tigs, options.graph_format) != ("eulertigs", "gfa"),
            lambda _options: "--tigs eulertigs in the format gfa: eulertigs have no links, and so are no graph",
            "write them as fasta (--format fasta), or use --tigs unitigs",
            UsageError,
        ),
    )


@dataclass(frozen=True, kw_only=True)
class AssembleOptions(Checked):
    """Options of an assembly."""

    ks: tuple[int, ...] = ()  # (): chosen from read lengths and spectrum
    min_count: int | None = None  # None: chosen from the spectrum
    max_depth: int | None = None  # None: 150 where reads are stored; 0: no limit
    trim: str = "auto"
    min_contig_bp: int = 200
    walk: str = "unitigs"
    pairs: bool = True  # resolve repeats by read pairs, where there are some
    breaks: bool = True  # cut joins that pairs prove wrong
    rotate: str = SMALLEST_ROTATION  # or the path of genes (FASTA) that circular contigs start with
    name: str = "contigs"  # of the assembly, in reports
    clean: CleanOptions | None = field(default_factory=CleanOptions)  # None: the raw graph
    pair_options: PairOptions = field(default_factory=PairOptions)  # thresholds of these repeats
    break_options: BreakOptions = field(default_factory=BreakOptions)  # thresholds of these cuts
    keep_variants: bool = False  # report popped bubbles
    variant_options: VariantOptions = field(default_factory=VariantOptions)  # thresholds of these variants
    preset: str = DEFAULT_PRESET  # recorded; `of_preset` sets the options of a preset

    checks = (
        each("ks", check_assembly_k),
        ensure(
            lambda options: options.clean is not None or not options.keep_variants,
            lambda _options: "--keep-variants with --no-clean: no bubbles are popped",
            "leave one of them out",
            UsageError,
        ),
        ensure(
            lambda options: bool(options.name.strip()) and options.name.isprintable(),
            lambda options: f"--name is {options.name!r}",
            "give a word that can be printed, such as ecoli1",
        ),
        ensure(
            lambda options: options.max_depth is None or options.max_depth >= 0,
            lambda options: f"--max-depth is {options.max_depth}",
            "give a read depth, or 0 for no limit",
        ),
        one_of("trim", TRIMS),
        at_least("min_contig_bp", 0),
        one_of("walk", WALKS),
        one_of("preset", tuple(PRESETS)),
    )

    @classmethod
    def of_preset(cls, preset: str, **given: Any) -> AssembleOptions:
        """Return the options of a preset; options that are given win over those of the preset.

        Parameters
        ----------
        preset : str
            isolate, meta, amplicon, plasmid or single-cell.
        **given
            Fields of `AssembleOptions`. With ``clean``, the preset sets no threshold of cleaning, and with
            ``pair_options`` none of pairs.
        """
        check_choice("--preset", preset, tuple(PRESETS), "preset")
        others: dict[str, Any] = dict(PRESETS[preset].values)

        def taken(kind: type) -> dict[str, Any]:
            """Take the fields of a class out of the values."""
            return {field.name: others.pop(field.name) for field in fields(kind) if field.name in others}

        groups = {"clean": CleanOptions(**taken(CleanOptions)), "pair_options": PairOptions(**taken(PairOptions))}
        return cls(**{**groups, **others, **given, "preset": preset})

    def preset_values(self) -> dict[str, Any]:
        """Return those values of the preset that are in force: neither replaced nor without effect."""
        held = vars(self) | vars(self.pair_options) | (vars(self.clean) if self.clean is not None else {})
        return {name: value for name, value in PRESETS[self.preset].values.items() if held.get(name) == value}


@dataclass(frozen=True, kw_only=True)
class StatsOptions(Checked):
    """Options of contig statistics."""

    min_contig_bp: int = 0  # QUAST: 500
    genome_bp: int | None = None  # for NGx
    nx: tuple[int, ...] = ()  # percentages of Nx and NGx beside the usual ones

    option_names: ClassVar = {"genome_bp": "--genome-size"}
    checks = (
        at_least("min_contig_bp", 0),
        at_least("genome_bp", 1),
        each("nx", lambda percent: check_range("--nx", percent, 1, 100)),
    )
