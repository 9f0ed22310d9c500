"""Judge an assembly: a finding on each question, with the reason, and the next steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from debruijn_gpu.assembly.statistics import ContigStats
from debruijn_gpu.assembly_dir.reading import AssemblyFiles, number
from debruijn_gpu.reports import read_findings
from debruijn_gpu.reports.finding import FAIR, GOOD, NOTE, POOR, Finding, listed, short_bp
from debruijn_gpu.reports.groups import Group
from debruijn_gpu.reports.quality_sections import GOOD_COMPLETENESS, quality_findings
from debruijn_gpu.reports.read_findings import LEAST_CIRCULAR_BP, LITTLE_DEPTH, contig_peak, peak_depth
from debruijn_gpu.run.plain_text import counted

#: Assembled length over the estimate of the genome
NEAR, NOT_FAR = 0.05, 0.15
#: Of smaller genomes the estimate is rougher, because their ends, or a few repeats, bear on it: twice as much is near.
SMALL_BP = 100_000
#: Contigs with less of the typical depth may be one of two alleles, or of another organism.
THIN = 0.65
#: Two alleles were merged if contigs have this multiple of the single-copy depth, and a bubble in this many bases.
MERGED_DEPTH, BP_PER_BUBBLE = 1.2, 5000
#: N50 that is good and fair, or else these parts of a small genome
GOOD_N50, FAIR_N50, GOOD_PART, FAIR_PART = 50_000, 10_000, 4, 20
#: Where this share of the ends of contigs leads nowhere, it is reads that are missing.
MOST_ENDS = 0.5
#: Groups of contigs differ by at least this factor in k-mer depth, or by this many percent in GC.
OTHER_DEPTH, OTHER_GC = 1.7, 6.0
#: Within this factor depth is said to be the same.
SAME_DEPTH = 1.2
#: Below this part of the depth of the main group, sequence may be errors.
RARE = 0.25
#: Such a share of the bases in other groups is worth a look, and an alarm.
SOME_OTHER, MUCH_OTHER = 0.02, 0.1


def assembly_findings(
    files: AssemblyFiles, stats: ContigStats, groups: Sequence[Group], low_depth: float | None = None
) -> list[Finding]:
    """Judge an assembly on each question that its files answer; reads first, then contigs, then pairs.

    Parameters
    ----------
    files : AssemblyFiles
    stats : ContigStats
        Of its contigs.
    groups : sequence of Group
        Of `contig_groups`.
    low_depth : float, optional
        A tenth of the genome's k-mers was read so often or less: of `SpectrumModel`.
    """
    found = [
        read_findings.read_depth(files, low_depth),
        read_findings.errors(files),
        _size(files, stats),
        *quality_findings(files),
        _contiguity(files, stats),
        _circular_contigs(files),
        _composition(files, groups),
        *read_findings.pairs(files, stats),
        read_findings.placement(files),
    ]
    return [finding for finding in found if finding is not None]


def overall(found: Sequence[Finding], files: AssemblyFiles) -> tuple[str, str]:
    """Level and words for the whole."""
    levels = [finding.level for finding in found]
    names = [finding.question.lower() for finding in found if finding.level == POOR]
    if not files.contigs.lengths.any():
        return POOR, "There are no contigs."
    if names:
        return POOR, f"Use with care: see {listed(names)}."
    names = [finding.question.lower() for finding in found if finding.level == FAIR]
    if read_findings.is_complete(files):
        return (FAIR if names else GOOD), "Every contig is circular: this assembly looks complete." + (
            f" Check {listed(names)}." if names else ""
        )
    if "spectrum" not in files.report:
        see = f": see {listed(names)}." if names else "."
        return NOTE, f"Contigs alone show lengths, not errors{see}"
    if names:
        return FAIR, f"A usable draft: see {listed(names)}."
    return (GOOD, "A sound draft.") if GOOD in levels else (NOTE, "Too few data to judge this assembly.")


def next_steps(found: Sequence[Finding], files: AssemblyFiles) -> list[str]:
    """List the recommended next steps, the most urgent first."""
    order = {POOR: 0, FAIR: 1, NOTE: 2, GOOD: 3}
    steps = [v.advice for v in sorted(found, key=lambda finding: order[finding.level]) if v.advice]
    is_branched = files.graph is not None and bool(len(files.graph.contigs.links))
    if is_branched and len(files.contigs) > 1 and _loose_ends(files) <= MOST_ENDS:
        steps.append("Look at the graph below, or open assembly_graph.gfa in Bandage: contigs end where it branches.")
    steps.append("If there is a reference genome, run QUAST on the contigs and give its report to dbg report --quast.")
    return list(dict.fromkeys(steps))


def _size(files: AssemblyFiles, stats: ContigStats) -> Finding | None:
    genome_bp = number(files.report, "spectrum", "genome_bp")
    if not genome_bp or not peak_depth(files):
        return None
    ratio = stats.total_bp / genome_bp
    off = abs(ratio - 1) / (2 if genome_bp < SMALL_BP else 1)
    known = f"The contigs have {stats.total_bp:,} bp, the estimate from the k-mer spectrum is {genome_bp:,.0f} bp: "
    figure = f"{100 * ratio:.1f} %"
    if off <= NEAR:
        close = "these agree." if abs(ratio - 1) <= NEAR else "close for a small genome."
        return Finding("Genome size", GOOD, figure, known + close)
    level = FAIR if off <= NOT_FAR else POOR
    if ratio < 1:
        reason, advice = _too_little(files, stats)
    elif _thin_bp(files) < (stats.total_bp - genome_bp) / 2:
        # Alleles and contamination would lie below the depth; here the depth is that of the best covered parts alone.
        level, advice = FAIR, ""
        reason = "the estimate is probably too low, because the contigs are about as deep as its peak."
    else:
        reason = "both alleles or strains may be assembled, or there is contamination."
        advice = "Look for groups of contigs under depth and composition."
    return Finding("Genome size", level, figure, known + reason, advice)


def _too_little(files: AssemblyFiles, stats: ContigStats) -> tuple[str, str]:
    """Why the contigs are shorter than the genome: reason and advice."""
    peak = contig_peak(files) or 0.0
    times = _mean_depth(files) / peak if peak >= LITTLE_DEPTH else 0.0
    bubbles = number(files.report, "cleaning", "bubbles") or 0
    if "cleaning" in files.report and files.report["cleaning"] is None:
        reason = "the graph was not cleaned (--no-clean), and errors break it into contigs shorter than --min-contig."
        return reason, "Assemble without --no-clean, or use the graph (assembly_graph.gfa) instead of the contigs."
    if times > MERGED_DEPTH and bubbles * BP_PER_BUBBLE > stats.total_bp:
        reason = f"two alleles or strains were merged into one ({bubbles:,.0f} bubbles were popped)."
        return reason, "To keep both alleles, assemble with --no-clean and use the graph."
    if (number(files.report, "evaluation", "completeness") or 0.0) >= GOOD_COMPLETENESS:
        reason = "repeats were collapsed, or plasmids have several copies; few k-mers are missing."
        return reason, "Look at the copy numbers of the contigs; longer reads would resolve repeats."
    return (
        "parts are missing, or repeats were collapsed.",
        "Longer reads would resolve repeats; check whether short contigs (--min-contig) hold the rest.",
    )


def _mean_depth(files: AssemblyFiles) -> float:
    """Weighted by length, of contigs whose depth is known; 0 if none is."""
    known = files.contigs.kmer_depth > 0
    lengths = files.contigs.lengths[known]
    return float(np.average(files.contigs.kmer_depth[known], weights=lengths)) if lengths.sum() else 0.0


def _thin_bp(files: AssemblyFiles) -> int:
    """Bases of contigs far below the typical depth, or whose depth is not known."""
    is_thick = files.contigs.kmer_depth >= THIN * (contig_peak(files) or 0.0)
    return int(files.contigs.lengths[~is_thick].sum())


def _contiguity(files: AssemblyFiles, stats: ContigStats) -> Finding:
    n50 = stats.n50_bp or 0
    longest = counted(stats.l50 or 0, "contig")
    reason = f"{stats.n_contigs:,} contigs; half of the bases are in {longest} of {n50:,} bp or more."
    if stats.n_contigs == 1:
        reason = "The assembly is one contig."
    genome_bp = number(files.report, "spectrum", "genome_bp") if peak_depth(files) else None
    of_bp = max(stats.total_bp, genome_bp or 0)
    if n50 >= min(GOOD_N50, of_bp / GOOD_PART):
        return Finding("Contiguity", GOOD, f"N50 {short_bp(n50)}", reason)
    level = FAIR if n50 >= min(FAIR_N50, of_bp / FAIR_PART) else POOR
    advice = "Contigs end at repeats longer than k; a larger -k, where depth allows it, or long reads resolve more."
    if _loose_ends(files) > MOST_ENDS:
        reason += " Most of their ends have no link: reads are missing there."
        advice = "Contigs end where reads are missing: sequence more, or check whether a smaller -k closes the gaps."
    return Finding("Contiguity", level, f"N50 {short_bp(n50)}", reason, advice)


def _loose_ends(files: AssemblyFiles) -> float:
    """Share of the ends of unitigs in the graph without a link; 0 without a graph."""
    if files.graph is None:
        return 0.0
    contigs = files.graph.contigs
    is_loose = np.ones(2 * len(contigs), np.bool_)  # 2 * i: the end of unitig i; 2 * i + 1: its start
    is_loose[contigs.links[:, 0]] = False
    is_loose[contigs.links[:, 1] ^ 1] = False
    ends = is_loose.reshape(-1, 2)[~contigs.circular]
    return float(ends.mean()) if ends.size else 0.0


def _circular_contigs(files: AssemblyFiles) -> Finding | None:
    lengths = files.contigs.lengths[files.contigs.circular]
    if not len(lengths):
        return None
    long = lengths[lengths >= LEAST_CIRCULAR_BP]
    n, bp = len(long), int(long.sum())
    short = (
        counted(len(lengths) - n, "circular contig") + f" below {short_bp(LEAST_CIRCULAR_BP)}: likely tandem repeats."
    )
    if not n:
        return Finding("Circular contigs", NOTE, f"{len(lengths):,}", short)
    kind = "a complete chromosome, plasmid or phage" if n == 1 else "complete chromosomes, plasmids or phages"
    reason = f"{counted(n, 'circular contig')} of {bp:,} bp in total: {kind}."
    return Finding("Circular contigs", GOOD, f"{n:,}", reason if n == len(lengths) else f"{reason} {short}")


def _composition(files: AssemblyFiles, groups: Sequence[Group]) -> Finding | None:
    if not groups:
        return None
    main = _main_group(groups, contig_peak(files))
    others = [group for group in groups if group is not main]
    foreign = [group for group in others if _is_foreign(group, main)]
    varied = [group for group in others if group not in foreign and _differs_in_gc(group, main)]
    copied = [group for group in others if group not in foreign and group not in varied]
    share = sum(group.share for group in foreign)
    if share < SOME_OTHER:
        return _of_one_organism(main, varied, copied)
    reason = f"Apart from the main group ({main.kmer_depth:,.0f}×, {main.gc_percent:.0f} % GC): {_told(foreign, main)}."
    advice = "Search some contigs of the smaller group with BLAST: contamination, a symbiont, or a plasmid?"
    if all(group.kmer_depth < RARE * main.kmer_depth for group in foreign):
        reason += " Such a low depth indicates errors still in the graph, or traces of another organism."
    elif not any(_differs_in_gc(group, main) for group in foreign):
        reason += " The composition is the same, so these may be parts of the genome with fewer reads."
    level = FAIR if share < MUCH_OTHER else POOR
    return Finding("Contamination", level, f"{100 * share:.1f} % apart", reason, advice)


def _is_foreign(group: Group, main: Group) -> bool:
    """Whether a group may be of another organism.

    GC alone does not tell in so few bases: halves of a phage, islands and plasmids differ as much.
    """
    if group.kmer_depth * OTHER_DEPTH < main.kmer_depth:
        return True
    has_other_depth = group.kmer_depth > OTHER_DEPTH * main.kmer_depth
    return _differs_in_gc(group, main) and (has_other_depth or group.total_bp >= SMALL_BP)


def _differs_in_gc(group: Group, main: Group) -> bool:
    return abs(group.gc_percent - main.gc_percent) >= OTHER_GC


def _of_one_organism(main: Group, varied: Sequence[Group], copied: Sequence[Group]) -> Finding:
    """Return the finding for contigs without sign of a second organism."""
    if sum(group.share for group in varied) >= SOME_OTHER:
        reason = f"Composition varies ({_told(varied, main)}), but depth does not: most likely parts of one genome."
        return Finding("Contamination", NOTE, "no clear sign", reason)
    if copied:
        reason = f"One group by composition; in it {_told(copied, main)}: repeats or plasmids."
    else:
        reason = "All contigs have similar depth and composition: no sign of a second organism."
    return Finding("Contamination", GOOD, "no sign", reason)


def _main_group(groups: Sequence[Group], peak: float | None) -> Group:
    """The largest group, or if the depth is known the largest one at it."""
    near = [g for g in groups if peak and peak / OTHER_DEPTH < g.kmer_depth < peak * OTHER_DEPTH]
    return (near or list(groups))[0]


def _told(groups: Sequence[Group], main: Group) -> str:
    """Groups in words, beside the main one."""
    return "; ".join(_described(group, main) for group in groups)


def _described(group: Group, main: Group) -> str:
    size = f"{counted(group.n_contigs, 'contig')} of {short_bp(group.total_bp)}"
    fold = group.kmer_depth / main.kmer_depth
    same = 1 / SAME_DEPTH < fold < SAME_DEPTH
    return f"{size} at {'the same' if same else f'{fold:.2g} times the'} depth and {group.gc_percent:.0f} % GC"
