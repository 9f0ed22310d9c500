"""What an assembly is worth, in words: a verdict on each question, with the reason, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from debruijn_gpu.contigs.stats import ContigStats
from debruijn_gpu.pages.assembly_files import AssemblyFiles, number
from debruijn_gpu.pages.groups import Group

GOOD, FAIR, POOR, NOTE = "good", "fair", "poor", "note"

#: K-mers of the genome as deep as this are enough; with half of it there are gaps.
ENOUGH_DEPTH, LITTLE_DEPTH = 15, 8
#: Beyond this, more reads cost time and gain nothing.
AMPLE_DEPTH = 200
#: Coverage is uneven if a tenth of the k-mers lies below this part of the typical depth.
UNEVEN = 0.25
#: Errors per base of good and of usable reads
LOW_ERROR_RATE, HIGH_ERROR_RATE = 0.005, 0.02
#: Assembled length over the estimate of the genome
NEAR, NOT_FAR = 0.05, 0.15
#: N50 that is good and fair, or else these parts of a small genome
GOOD_N50, FAIR_N50, GOOD_PART, FAIR_PART = 50_000, 10_000, 4, 20
#: Groups of contigs differ if they do by this factor in coverage, or by so many percent in GC.
OTHER_COVERAGE, OTHER_GC = 1.7, 6.0
#: Below this part of the coverage of the main group, sequence may be errors.
RARE = 0.25
#: Such a share of the bases in other groups is worth a look, and an alarm.
SOME_OTHER, MUCH_OTHER = 0.02, 0.1
#: Of pairs that face the usual way
MOST_PAIRS = 0.9


@dataclass(frozen=True)
class Verdict:
    """An answer to one question: what is asked, how good it is, the figure, and a sentence."""

    question: str
    level: str
    figure: str
    reason: str
    advice: str = ""


def verdicts(files: AssemblyFiles, stats: ContigStats, groups: Sequence[Group]) -> list[Verdict]:
    """Verdicts on all that is known, in the order in which one would ask."""
    found = [
        _coverage(files),
        _errors(files),
        _size(files, stats),
        _contiguity(files, stats),
        _molecules(files, stats),
        _composition(files, groups),
        *_pairs(files),
    ]
    return [verdict for verdict in found if verdict is not None]


def overall(found: Sequence[Verdict], files: AssemblyFiles) -> tuple[str, str]:
    """Level and words for the whole."""
    levels = [verdict.level for verdict in found]
    names = [verdict.question.lower() for verdict in found if verdict.level == POOR]
    if not len(files.contigs):
        return POOR, "There are no contigs."
    if names:
        return POOR, f"To be used with care: see {_listed(names)}."
    names = [verdict.question.lower() for verdict in found if verdict.level == FAIR]
    if bool(files.contigs.circular.all()):
        return (FAIR if names else GOOD), "Every contig is a closed circle: this assembly looks complete." + (
            f" Do look at {_listed(names)}." if names else ""
        )
    if names:
        return FAIR, f"A usable draft: see {_listed(names)}."
    return (GOOD, "A sound draft.") if GOOD in levels else (NOTE, "Too little is known of this assembly to judge it.")


def next_steps(found: Sequence[Verdict], files: AssemblyFiles) -> list[str]:
    """What is worth doing now, most pressing first."""
    order = {POOR: 0, FAIR: 1, NOTE: 2, GOOD: 3}
    steps = [v.advice for v in sorted(found, key=lambda verdict: order[verdict.level]) if v.advice]
    if files.graph is not None and len(files.contigs) > 1 and len(files.graph.contigs.links):
        steps.append("Look at the graph below, or at assembly_graph.gfa in Bandage: contigs end where it branches.")
    steps.append("If there is a reference, score the contigs with QUAST and give its report to dbg report --quast.")
    return list(dict.fromkeys(steps))


def base_depth(files: AssemblyFiles) -> float | None:
    """How often the reads cover each base of the genome, as estimated."""
    n_bases, genome_bp = number(files.report, "reads", "n_bases"), number(files.report, "spectrum", "genome_bp")
    return n_bases / genome_bp if n_bases and genome_bp and _peak(files) else None


def _peak(files: AssemblyFiles) -> float | None:
    return number(files.report, "spectrum", "peak")


def _coverage(files: AssemblyFiles) -> Verdict | None:
    if "spectrum" not in files.report:
        return None
    peak, fold = _peak(files), base_depth(files)
    if not peak:
        return Verdict(
            "Coverage",
            FAIR,
            "not known",
            "The k-mer spectrum has no peak: coverage is very low or uneven, or these are not reads of one genome.",
            "Sequence more, or look at the spectrum at a smaller k (dbg spectrum -k 21).",
        )
    figure = f"{fold:.0f}×" if fold else f"{peak:.0f}× (k-mers)"
    seen = f"Each k-mer of the genome was read {peak:.0f} times"
    if peak < LITTLE_DEPTH:
        return Verdict("Coverage", POOR, figure, f"{seen}: too few to bridge it everywhere.", _MORE_READS)
    low, cutoff = number(files.report, "spectrum", "low_depth"), number(files.report, "spectrum", "cutoff")
    if low is not None and cutoff is not None and cutoff > 1 and low < UNEVEN * peak:  # else errors are among them
        return Verdict("Coverage", FAIR, figure, f"{seen}, but a tenth of them {low:.0f} times or less: uneven.")
    if peak < ENOUGH_DEPTH:
        return Verdict("Coverage", FAIR, figure, f"{seen}: enough for most of it, with some gaps.", _MORE_READS)
    if peak > AMPLE_DEPTH:
        advice = "A part of the reads, 100-fold say, would give the same in less time."
        return Verdict("Coverage", GOOD, figure, f"{seen}: more than enough.", advice)
    return Verdict("Coverage", GOOD, figure, f"{seen}: enough.")


_MORE_READS = "Sequence more; until then a smaller -k gives longer contigs."


def _errors(files: AssemblyFiles) -> Verdict | None:
    rate, share = number(files.report, "spectrum", "error_rate"), number(files.report, "spectrum", "error_fraction")
    if rate is None or share is None or not _peak(files):
        return None
    figure = f"{100 * rate:.2f} %"
    often = f"About one base in {1 / rate:,.0f} is wrong" if rate > 0 else "No errors were found"
    reason = f"{often}; {100 * share:.1f} % of all k-mers hold an error."
    if rate <= LOW_ERROR_RATE:
        return Verdict("Read errors", GOOD, figure, reason)
    advice = "Trim adapters and ends of low quality (fastp) and assemble again."
    return Verdict("Read errors", FAIR if rate <= HIGH_ERROR_RATE else POOR, figure, reason, advice)


def _size(files: AssemblyFiles, stats: ContigStats) -> Verdict | None:
    genome_bp = number(files.report, "spectrum", "genome_bp")
    if not genome_bp or not _peak(files):
        return None
    ratio = stats.total_bp / genome_bp
    off = abs(ratio - 1)
    reason = f"The contigs have {stats.total_bp:,} bp, the spectrum tells of {genome_bp:,.0f} bp: "
    figure = f"{100 * ratio:.1f} %"
    if off <= NEAR:
        return Verdict("Genome size", GOOD, figure, reason + "they agree.")
    if ratio < 1:
        reason += "parts are missing, or repeats came out once."
        advice = "Longer reads would tell repeats apart; see whether short contigs (--min-contig) hold the rest."
    else:
        reason += "two alleles or strains may both be there, or contamination."
        advice = "Look for groups of contigs in coverage and composition below."
    return Verdict("Genome size", FAIR if off <= NOT_FAR else POOR, figure, reason, advice)


def _contiguity(files: AssemblyFiles, stats: ContigStats) -> Verdict:
    n50 = stats.n50_bp or 0
    longest = _counted(stats.l50 or 0, "contig")
    reason = f"{stats.n_contigs:,} contigs; half of the bases are in {longest} of {n50:,} bp or more."
    if stats.n_contigs == 1:
        reason = "All of it is one contig."
    if n50 >= min(GOOD_N50, stats.total_bp / GOOD_PART):
        return Verdict("Contiguity", GOOD, f"N50 {short_bp(n50)}", reason)
    level = FAIR if n50 >= min(FAIR_N50, stats.total_bp / FAIR_PART) else POOR
    return Verdict(
        "Contiguity", level, f"N50 {short_bp(n50)}", reason, "Contigs end at repeats longer than k; " + _LONGER
    )


_LONGER = "a larger -k, where coverage allows it, or long reads resolve more of them."


def _molecules(files: AssemblyFiles, stats: ContigStats) -> Verdict | None:
    circular = files.contigs.circular
    n = int(circular.sum())
    if not n:
        return None
    bp = int(files.contigs.lengths[circular].sum())
    reason = (
        f"{_counted(n, 'contig')} closed into a circle, {bp:,} bp in all: complete chromosomes, plasmids or phages."
    )
    return Verdict("Circles", GOOD, f"{n:,}", reason)


def _composition(files: AssemblyFiles, groups: Sequence[Group]) -> Verdict | None:
    if not groups:
        return None
    main = _main_group(groups, _peak(files))
    others = [group for group in groups if group is not main]
    foreign = [
        g
        for g in others
        if abs(g.gc_percent - main.gc_percent) >= OTHER_GC or g.coverage * OTHER_COVERAGE < main.coverage
    ]
    copied = [g for g in others if g not in foreign]
    share = sum(group.share for group in foreign)
    told = "; ".join(described(group, main) for group in (foreign or copied))
    if share < SOME_OTHER:
        if copied:
            reason = f"One group in composition, and in it {told}: repeats or plasmids."
        else:
            reason = "All contigs are alike in coverage and composition: one organism."
        return Verdict("Contamination", GOOD, "no sign", reason)
    reason = f"Beside the main group ({main.coverage:.0f}×, {main.gc_percent:.0f} % GC) there is {told}."
    advice = "Search a few contigs of the smaller group in a database (BLAST): contamination, a symbiont, or a plasmid?"
    if all(group.coverage < RARE * main.coverage for group in foreign):
        reason += (
            " So little coverage is that of errors which are still in the graph, or of traces of another organism."
        )
    return Verdict("Contamination", FAIR if share < MUCH_OTHER else POOR, f"{100 * share:.1f} % apart", reason, advice)


def _main_group(groups: Sequence[Group], peak: float | None) -> Group:
    """The largest group, or if the depth is known the largest one at it."""
    near = [g for g in groups if peak and peak / OTHER_COVERAGE < g.coverage < peak * OTHER_COVERAGE]
    return (near or list(groups))[0]


def described(group: Group, main: Group) -> str:
    """A group in words, beside the main one."""
    size, fold = f"{_counted(group.n_contigs, 'contig')} of {short_bp(group.total_bp)}", group.coverage / main.coverage
    return f"{size} at {fold:.2g} times its coverage and {group.gc_percent:.0f} % GC"


def inserts(files: AssemblyFiles) -> list[dict[str, Any]]:
    """What the report tells of each paired input."""
    section = files.report.get("insert_sizes")
    measured = section.get("inputs") if isinstance(section, dict) else None
    return [one for one in measured if isinstance(one, dict)] if isinstance(measured, list) else []


def _pairs(files: AssemblyFiles) -> Iterator[Verdict]:
    measured = inserts(files)
    for i, one in enumerate(measured):
        name = "Pairs" if len(measured) == 1 else f"Pairs of input {i + 1}"
        placed, median = number(one, "n_placed"), number(one, "sizes", "median_bp")
        if not placed or median is None:
            yield Verdict(
                name, NOTE, "not placed", "Too few pairs lie on one contig each to tell how far apart mates are."
            )
            continue
        spread, inward = number(one, "sizes", "spread_bp") or 0.0, (number(one, "n_inward") or 0) / placed
        figure = f"{median:.0f} ± {spread:.0f} bp"
        reason = f"{100 * inward:.1f} % of {placed:,.0f} pairs that were placed face each other"
        if inward >= MOST_PAIRS:
            yield Verdict(name, GOOD, figure, reason + ", as they should.")
        else:
            advice = "If these are mate pairs, which face away from each other, that is as it should be."
            yield Verdict(name, FAIR, figure, reason + ".", advice)


def short_bp(length: float) -> str:
    """``73.7 kbp``"""
    for size, unit in ((1e9, "Gbp"), (1e6, "Mbp"), (1e3, "kbp")):
        if length >= 0.99995 * size:
            return f"{length / size:.3g} {unit}" if length < 999.5 * size else f"{length / size:,.0f} {unit}"
    return f"{length:,.0f} bp"


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"
