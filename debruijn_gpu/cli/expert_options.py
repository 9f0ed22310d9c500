"""Thresholds of `dbg assemble` as options, presets of them, and the help page of both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from debruijn_gpu.assembly.break_options import BreakOptions
from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.assembly.presets import DEFAULT_PRESET, PRESETS
from debruijn_gpu.assembly.variant_options import VariantOptions
from debruijn_gpu.cli.cluster_options import EXPERT_NAMES
from debruijn_gpu.cli.common import apply, take_fields
from debruijn_gpu.cli.groups import check_rules, close_names, excludes, needs, option_rules
from debruijn_gpu.cli.help_options import HELP_ALL, ExpertCommand
from debruijn_gpu.cli.option_types import COUNT, RenamedOption
from debruijn_gpu.errors import UsageError

#: Field of `CleanOptions`: name of the value in help, meaning, unit and source
EXPERT: dict[str, tuple[str, str]] = {
    "max_rounds": ("N", "Maximum number of rounds of cleaning at each k."),
    "short_tip_length": ("KS", "Length of tips, in multiples of k, removed beside any path of at least their depth."),
    "tip_length": ("KS", "Length of other tips, in multiples of k (SPAdes: 3.5)."),
    "tip_ratio": ("RATIO", "Depth of these relative to the path beside them, exclusive (SPAdes: at most 2)."),
    "rare_tip_ratio": ("RATIO", "The same for tips of a single read, if more."),
    "rare_tip_depth": ("DEPTH", "k-mer depth at most which a tip is taken for a single read."),
    "bubble_length": ("KS", "Length of a side of a bubble, in multiples of k (SPAdes: 3)."),
    "bubble_indel": ("SHARE", "Difference in length of both sides, as a share of the removed one (SPAdes: 0.1)."),
    "bubble_ratio": (
        "RATIO",
        "Depth of a removed side relative to the other (SPAdes isolate 0.5, meta 5; MEGAHIT any).",
    ),
    "bubble_rare": ("DEPTH", "k-mer depth at most which a side is removed beside any deeper one."),
    "haplotype_ratio": (
        "RATIO",
        "Depth, relative to single-copy sequence, up to which any less deep side is a variant; 0: --bubble-ratio alone "
        "decides. Haplotypes have 0.5, copies of a repeat 1.",
    ),
    "haplotype_depth": (
        "DEPTH",
        "Least k-mer depth for that, at the smallest k (0.6 of it in heterozygous samples); at a k with less, both "
        "sides count together.",
    ),
    "haplotype_length": ("KS", "Length of a side of a bubble of two alleles, in multiples of k (MEGAHIT: 20)."),
    "haplotype_flank": (
        "RATIO",
        "Depth, relative to single-copy sequence, of the neighbours of a side that is a variant, at most.",
    ),
    "haplotype_spacing": ("BP", "A sample with such a bubble in so many bases is heterozygous: they go at every k."),
    "least_allele_ratio": ("RATIO", "Least depth, relative to single-copy sequence, of a side that counts for that."),
    "connection_length": ("KS", "Length of an erroneous connection, in multiples of k."),
    "connection_ratio": ("RATIO", "Its depth relative to the other paths at both ends (MEGAHIT: 0.1)."),
    "disconnect_ratio": (
        "RATIO",
        "Depth, relative to the other paths at one end alone, up to which a connection is removed (MEGAHIT: 0.1); "
        "0: none is.",
    ),
    "recurrent_ratio": (
        "RATIO",
        "The same where they have less than half of the depth of single-copy sequence: errors that recur in what is "
        "deep; 0: none is.",
    ),
    "strand_chance": (
        "SHARE",
        "Remove branches that only reads of one strand have, if the probability that they are of the genome is at most "
        "this, at the first of several k; 0: no branch.",
    ),
    "consensus_reads": (
        "N",
        "Correct a base that at most N reads have where twice as many have another, after the last of several k and "
        "where coverage is thin or uneven; 0: no base.",
    ),
    "isolated_length": ("KS", "Length of an isolated unitig that may be removed, in multiples of k."),
    "isolated_ratio": ("RATIO", "Its depth relative to the mean of the graph; 0: none is removed."),
    "early_bubble_ratio": ("RATIO", "--bubble-ratio before the last k, if less (MEGAHIT: 0.2)."),
    "uneven_bubble_ratio": ("RATIO", "--bubble-ratio where coverage is uneven, if more."),
    "thin_bubble_ratio": ("RATIO", "--bubble-ratio where reads are few, if more."),
    "uneven_early_bubble_ratio": ("RATIO", "--early-bubble-ratio where coverage is uneven, if more."),
    "early_bubble_rare": ("DEPTH", "--bubble-rare before the last k."),
    "early_connection_ratio": ("RATIO", "--connection-ratio before the last k, if less."),
    "deferring_depth": ("DEPTH", "k-mer depth expected at the next k from which these ratios hold before it."),
    "later_short_tip_length": ("KS", "--short-tip-length after the first k, if less."),
    "later_tip_ratio": ("RATIO", "--tip-ratio after the first k, if less."),
    "later_rare_tip_ratio": ("RATIO", "--rare-tip-ratio after the first k."),
    "later_tip_depth": ("DEPTH", "k-mer depth expected at a k from which these do not hold there."),
    "held_length": (
        "RATIO",
        "Length of the words that some read must hold at the ends of contigs, relative to the read length; for several "
        "k and without pairs. 0: ends stay as they are, nothing is cut, and reads resolve no repeats.",
    ),
}
#: Field of `PairOptions`: the same
PAIR_EXPERT: dict[str, tuple[str, str]] = {
    "least_pairs": ("N", "Distinct fragments of a link between two unitigs, at least (exSPAnder: 2)."),
    "least_support": (
        "RATIO",
        "Fragments of the link to the next unitig relative to those expected, at least (exSPAnder: 0.5).",
    ),
    "most_noise": (
        "RATIO",
        "Fragments of another link relative to those expected, and to those of the link to the next unitig, below "
        "which it is ignored (exSPAnder: 0.1).",
    ),
    "least_expected": ("N", "Fragments expected between two unitigs from which their lack contradicts."),
    "most_errors": ("N", "Standard errors by which a distance may differ from its estimate."),
    "slack_bp": ("BP", "Bases by which a distance may always differ."),
    "path_ratio": ("RATIO", "Fragments of the best of several paths relative to the next best, at least."),
    "most_steps": ("N", "Vertices that a search for paths looks at."),
    "least_copies": (
        "N",
        "Copies, by depth, from which a unitig all of whose bases are shared with neighbours is a contig: a repeat.",
    ),
}
#: Field of `BreakOptions`: the same
BREAK_EXPERT: dict[str, tuple[str, str]] = {
    "least_across": ("N", "Fragments expected across a place from which their lack counts (Poisson: 0.02 for none)."),
    "parts_of_expected": ("N", "A place that at most one in N of these spans is suspicious."),
    "least_contradicting": (
        "N",
        "Fragments that lead from there to one other place, at least, for a cut (as REAPR; numbers: planted joins).",
    ),
    "parts_of_contradicting": ("N", "These are at least one in N of those expected across the place."),
    "times_spanning": ("N", "And at least N times the spanning ones."),
    "place_slack_bp": ("BP", "Bases by which they may differ beyond the range of insert sizes."),
    "parts_of_read": ("N", "A read covers a place if one in N of its bases agree on both sides."),
    "least_reads": ("N", "Reads that continue in one other way at a place that none covers, at least, for a cut."),
    "parts_of_reads": ("N", "These are at least one in N of the reads that agree up to there."),
}
#: Field of `VariantOptions`: the same
VARIANT_EXPERT: dict[str, tuple[str, str]] = {
    "depth_above_min_count": ("DEPTH", "k-mer depth of a variant above --min-count, at least: errors recur less."),
    "parts_of_depth": ("N", "It has at least one in N of the depth of the side in the contig."),
    "balanced_parts": ("N", "Each of two alleles has at least one in N of the depth of both (expected: 2)."),
    "most_of_contig_depth": ("RATIO", "Both have at most that depth relative to the contigs; copies of repeats more."),
    "bases_per_variant": ("BP", "A sample with such alleles in so many bases is heterozygous or a mixture."),
}
_Kind = type[CleanOptions] | type[PairOptions] | type[BreakOptions] | type[VariantOptions]
#: Options of each kind, and those that exclude them
_GROUPS: tuple[tuple[_Kind, dict[str, tuple[str, str]], tuple[str, ...]], ...] = (
    (CleanOptions, EXPERT, ("--no-clean",)),
    (PairOptions, PAIR_EXPERT, ("--walk euler",)),
    (BreakOptions, BREAK_EXPERT, ("--walk euler",)),
    (VariantOptions, VARIANT_EXPERT, ()),
)
#: Fields of `BreakOptions` that reads without pairs use, too
_OF_READS = frozenset(("parts_of_read", "least_reads", "parts_of_reads"))
_Function = Callable[..., Any]


def _threshold(kind: _Kind, name: str, metavar: str, text: str) -> Any:
    """Make the option of a field of a group, which the plain help page does not show."""
    option, default = kind.option_name(name), getattr(kind, name)
    kind_of_value = COUNT if isinstance(default, int) else None
    return click.option(
        option,
        name,
        cls=RenamedOption,
        old=(option.replace("connection", "chimera"),) * ("connection" in option),
        type=kind_of_value,
        default=default,
        show_default=True,
        metavar=metavar,
        help=text,
        hidden=True,
    )


def _take_preset(context: click.Context, _parameter: click.Parameter, name: str) -> str:
    """Make the values of a preset the defaults of the other options, so that options that are given win."""
    if name not in PRESETS:
        close = " or ".join(close_names(name, PRESETS))
        choices = f"choose one of {', '.join(PRESETS)}"
        raise UsageError(f"--preset {name}: no such preset", f"did you mean {close}? {choices}" if close else choices)
    context.default_map = {**(context.default_map or {}), **PRESETS[name].values}
    return name


preset_option = click.option(
    "--preset",
    default=DEFAULT_PRESET,
    show_default=True,
    is_eager=True,
    callback=_take_preset,
    metavar="|".join(PRESETS),
    help="Kind of sample: values of other options, see below. Options that are given win.",
)

expert_options = apply(
    option_rules(
        *(
            excludes(kind.option_name(name), given)
            for kind, texts, excluding in _GROUPS
            for given in excluding
            for name in texts
        ),
        *(excludes(BreakOptions.option_name(name), "--no-pairs") for name in BREAK_EXPERT if name not in _OF_READS),
        *(needs(VariantOptions.option_name(name), "--keep-variants") for name in VARIANT_EXPERT),
    ),
    *(_threshold(kind, name, *text) for kind, texts, _excluding in _GROUPS for name, text in texts.items()),
)


#: Fields of `CleanOptions` that only several k use
_OF_SEVERAL_K = (
    *("strand_chance", "consensus_reads", "early_bubble_ratio", "uneven_early_bubble_ratio", "early_connection_ratio"),
    *("deferring_depth", "later_short_tip_length", "later_tip_ratio", "later_rare_tip_ratio", "later_tip_depth"),
    "held_length",
)
#: What a run has besides options. Reads without pairs resolve repeats if all of the last holds.
_SEVERAL_K, _PAIRS, _SINGLE_READS = "several k", "pairs of reads", "several k, --clean and --held-length"
_READ_RULES = (
    *(needs(CleanOptions.option_name(name), _SEVERAL_K) for name in _OF_SEVERAL_K),
    excludes("--held-length", _PAIRS, remedy="leave --held-length out, or take mates as single reads (--no-pairs)"),
    *(needs(PairOptions.option_name(name), _PAIRS, _SINGLE_READS) for name in PAIR_EXPERT),
    *(needs(BreakOptions.option_name(name), _PAIRS, _SINGLE_READS) for name in BREAK_EXPERT if name in _OF_READS),
    *(needs(BreakOptions.option_name(name), _PAIRS) for name in BREAK_EXPERT if name not in _OF_READS),
)


def check_used(options: AssembleOptions, n_paired: int) -> None:
    """Raise UsageError for a threshold that a run with these options and paired inputs does not use.

    Where k is chosen from the reads, there may be several.
    """
    is_several = len(options.ks) != 1
    facts = {
        _SEVERAL_K: is_several,
        _PAIRS: options.pairs and n_paired > 0,
        _SINGLE_READS: is_several and options.clean is not None and options.clean.held_length > 0,
    }
    check_rules(click.get_current_context(), _READ_RULES, facts)


class PresetCommand(ExpertCommand):
    """A command whose help page lists presets; with --help-all also expert options, and what each preset sets."""

    expert_options = frozenset([*(name for _kind, texts, _excluding in _GROUPS for name in texts), *EXPERT_NAMES])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from debruijn_gpu.cli.help_page import expert_records

        with formatter.section("Presets"):
            formatter.write_dl([(name, preset.purpose) for name, preset in PRESETS.items()])
        if HELP_ALL not in ctx.meta:
            formatter.write_paragraph()
            formatter.write_text(f"{ctx.command_path} {HELP_ALL} lists the values of presets, and all thresholds.")
            return
        with formatter.section("Values of presets"):
            formatter.write_dl([(name, preset_text(name)) for name in PRESETS])
        with formatter.section("Expert options (depths are k-mer depths, ratios those of depths or of fragments)"):
            formatter.write_dl(expert_records(self, ctx))


def preset_text(name: str) -> str:
    """List the options that a preset sets, as on a command line."""
    return option_text(PRESETS[name].values) or "defaults"


def option_text(values: Any) -> str:
    """Write option values as on a command line."""
    return " ".join(
        f"{_option_name(name)} {value:g}" if isinstance(value, float) else f"{_option_name(name)} {value}"
        for name, value in values.items()
    )


def _option_name(field: str) -> str:
    """Return the option that sets a field of `AssembleOptions` or of a group."""
    kinds = [kind for kind, texts, _excluding in _GROUPS if field in texts]
    return kinds[0].option_name(field) if kinds else AssembleOptions.option_name(field)


def take_thresholds(options: dict[str, Any]) -> dict[str, Any]:
    """Take --clean/--no-clean and the thresholds out of the options of a command, as fields of `AssembleOptions`."""
    names = "clean", "pair_options", "break_options", "variant_options"
    found = {name: kind(**take_fields(kind, options)) for name, (kind, *_texts) in zip(names, _GROUPS, strict=True)}
    return found if options.pop("clean") else {**found, "clean": None}
