"""Judge the reads of an assembly: depth, errors and pairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from debruijn_gpu.assembly.closed_gaps import KINDS
from debruijn_gpu.assembly.insert_sizes import RELATED_ADVICE, UNRELATED, unusable_reason
from debruijn_gpu.assembly.statistics import ContigStats
from debruijn_gpu.assembly_dir.reading import AssemblyFiles, number
from debruijn_gpu.reports.finding import FAIR, GOOD, NOTE, POOR, Finding
from debruijn_gpu.run.plain_text import counted

#: K-mers of the genome as deep as this are enough; with half of it there are gaps.
ENOUGH_DEPTH, LITTLE_DEPTH = 15, 8
#: Beyond this, more reads cost time and gain nothing.
AMPLE_DEPTH = 200
#: Depth is uneven if a tenth of the k-mers of the genome lies below this part of the typical depth.
UNEVEN = 0.3
#: Errors per base of good and of usable reads, and those below which the spectrum cannot measure them
LOW_ERROR_RATE, HIGH_ERROR_RATE, LEAST_ERROR_RATE = 0.005, 0.02, 1e-5
#: Of pairs that are turned in the same way
MOST_PAIRS = 0.9
#: Mates that begin no farther apart are the same read.
SAME_BP = 2
#: Shorter circular contigs are likely tandem repeats rather than molecules.
LEAST_CIRCULAR_BP = 1000
#: Where half of the bases are in contigs of fewer inserts than this, long inserts are seen less often than short ones.
INSERTS_PER_CONTIG = 4


def peak_depth(files: AssemblyFiles) -> float | None:
    """Return the k-mer depth of the genome; None if the spectrum has no estimate."""
    return number(files.report, "spectrum", "peak")


def base_depth(files: AssemblyFiles) -> float | None:
    """Estimate the read depth of the genome."""
    n_bases, genome_bp = number(files.report, "reads", "n_bases"), number(files.report, "spectrum", "genome_bp")
    return n_bases / genome_bp if n_bases and genome_bp and peak_depth(files) else None


def contig_peak(files: AssemblyFiles) -> float | None:
    """Estimate the k-mer depth of the genome at the k of the contigs, which is larger than that of the spectrum if
    there were several."""
    rounds, fold = files.report.get("rounds"), base_depth(files)
    kmer_depth, read_depth = number(files.report, "depth", "kmer_depth"), number(files.report, "depth", "read_depth")
    if not isinstance(rounds, list) or len(rounds) < 2 or not (fold and kmer_depth and read_depth):
        return peak_depth(files)
    return fold * kmer_depth / read_depth


def is_uneven(files: AssemblyFiles, low_depth: float | None) -> bool:
    """Whether a tenth of the genome's k-mers, those read ``low_depth`` times or less, lies far below the others."""
    peak = peak_depth(files)
    return bool(peak and low_depth and low_depth < UNEVEN * peak)


def is_complete(files: AssemblyFiles) -> bool:
    """Whether every contig is circular and long enough for a molecule."""
    contigs = files.contigs
    return len(contigs) > 0 and bool((contigs.circular & (contigs.lengths >= LEAST_CIRCULAR_BP)).all())


def read_depth(files: AssemblyFiles, low_depth: float | None) -> Finding | None:
    """Whether there are enough reads, and everywhere."""
    if "spectrum" not in files.report:
        return None
    peak, fold = peak_depth(files), base_depth(files)
    if not peak:
        return Finding(
            "Read depth",
            FAIR,
            "not known",
            "The k-mer spectrum has no peak: depth is very low or uneven, or the reads are not of one genome.",
            "Sequence more, or look at the spectrum at a smaller k (dbg spectrum -k 21).",
        )
    figure = f"{fold:,.0f}×" if fold else f"{peak:,.0f}× (k-mers)"
    seen = f"The k-mer depth of the genome is {peak:,.0f}"
    if peak < LITTLE_DEPTH:
        return Finding("Read depth", POOR, figure, f"{seen}: too low to cover all of it.", _MORE_READS)
    if low_depth is not None and is_uneven(files, low_depth):
        uneven = f"{seen}, but {low_depth:,.0f} or less for a tenth of it: uneven, as for amplicons or mixtures."
        return Finding("Read depth", FAIR, figure, uneven)
    if peak < ENOUGH_DEPTH and is_complete(files):
        return Finding("Read depth", GOOD, figure, f"{seen}: sufficient here, because every contig is circular.")
    if peak < ENOUGH_DEPTH:
        return Finding("Read depth", FAIR, figure, f"{seen}: sufficient for most of it, with gaps.", _MORE_READS)
    if peak > AMPLE_DEPTH:
        advice = "A subset of the reads, such as 100-fold, would give the same result in less time."
        return Finding("Read depth", GOOD, figure, f"{seen}: more than sufficient.", advice)
    return Finding("Read depth", GOOD, figure, f"{seen}: sufficient.")


_MORE_READS = "Sequence more; until then a smaller -k gives longer contigs."


def errors(files: AssemblyFiles) -> Finding | None:
    """Judge the error rate of the reads."""
    rate, share = number(files.report, "spectrum", "error_rate"), number(files.report, "spectrum", "error_fraction")
    if rate is None or share is None or not peak_depth(files):
        return None
    if rate < LEAST_ERROR_RATE:
        reason = "Less than one base in 100,000 is wrong; the reads may have been corrected."
        return Finding("Read errors", GOOD, "very few", reason)
    figure, often = f"{100 * rate:.2g} %", float(f"{1 / rate:.2g}")
    reason = f"About one base in {often:,.0f} is wrong; {100 * share:.1f} % of all k-mers contain an error."
    if rate <= LOW_ERROR_RATE:
        return Finding("Read errors", GOOD, figure, reason)
    reason += " Rare variants of a mixed population count as errors."
    advice = "Trim adapters and low-quality ends (fastp) and assemble again."
    return Finding("Read errors", FAIR if rate <= HIGH_ERROR_RATE else POOR, figure, reason, advice)


def inserts(files: AssemblyFiles) -> list[dict[str, Any]]:
    """Return the insert sizes of each paired input, as ``report.json`` holds them."""
    section = files.report.get("insert_sizes")
    measured = section.get("inputs") if isinstance(section, dict) else None
    return [one for one in measured if isinstance(one, dict)] if isinstance(measured, list) else []


def pairs(files: AssemblyFiles, stats: ContigStats) -> Iterator[Finding]:
    """Yield a finding on the distance and orientation of mates of each paired input."""
    measured = inserts(files)
    for i, one in enumerate(measured):
        name = "Pairs" if len(measured) == 1 else f"Pairs of input {i + 1}"
        if isinstance(one.get("why_unusable"), str):
            yield _unusable(name, one, number(files.report, "pairs", "n_too_short") or 0)
            continue
        placed, median = number(one, "n_placed"), number(one, "sizes", "median_bp")
        if not placed or median is None:
            reason = "Too few pairs have both mates on one contig to measure their distance."
            yield Finding(name, NOTE, "not placed", reason)
        else:
            may_be_longer = not files.contigs.circular.all() and (stats.n50_bp or 0) < INSERTS_PER_CONTIG * median
            yield _turned(name, one, placed, median, _SHORT_CONTIGS if may_be_longer else "")


def _unusable(name: str, one: dict[str, Any], n_short: float) -> Finding:
    """State why the pairs of an input were not used."""
    why, names = str(one["why_unusable"]), ("n_pairs", "n_placed", "n_inward", "n_outward", "n_same")
    reason = unusable_reason(why, {key: int(number(one, key) or 0) for key in names}, int(n_short))
    reason = f"{_capitalised(reason)}."
    if why == UNRELATED:
        return Finding(name, FAIR, "not used", reason, f"{_capitalised(RELATED_ADVICE)}.")
    return Finding(name, NOTE, "not used", reason)


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def placement(files: AssemblyFiles) -> Finding | None:
    """State the share of placed reads and what they or pairs joined; None if repeats were not resolved."""
    share, n_joined = number(files.report, "pairs", "share_placed"), number(files.report, "pairs", "n_joined")
    if share is None or n_joined is None:
        return None
    n_open = number(files.report, "pairs", "n_open_gaps") or 0
    n_closed = sum(number(files.report, "pairs", "n_closed_gaps", kind) or 0 for kind in KINDS)
    has_pairs = any(one.get("why_unusable") is None for one in inserts(files))
    joined = f"{counted(int(n_joined), 'path')} through repeats, {counted(int(n_closed), 'gap')} closed"
    joined += f", {n_open:,.0f} open." if has_pairs or n_open else "."
    n_cut, n_left = (number(files.report, "pairs", f"n_wrong_joins_{kind}") or 0 for kind in ("cut", "left"))
    if n_cut or n_left:
        joined += f" {counted(int(n_cut), 'wrong join')} cut, {n_left:,.0f} left."
    reason = "Share of the reads with a 31-mer that occurs once in the graph. "
    if n_short := number(files.report, "pairs", "n_too_short"):
        reason += f"{counted(int(n_short), 'read')} are shorter than that. "
    reason += f"By {'pairs' if has_pairs else 'reads'}: {joined}"
    return Finding("Read placement", NOTE, f"{100 * share:.1f} %", reason)


_SHORT_CONTIGS = " Contigs are not much longer, so longer inserts are missed."


def _turned(name: str, one: dict[str, Any], placed: float, median: float, more: str) -> Finding:
    """Judge the pairs by their orientation."""
    shares = [(number(one, key) or 0) / placed for key in ("n_inward", "n_outward", "n_same")]
    inward, outward, same = (f"{100 * share:.1f} %" for share in shares)
    figure = f"{median:,.0f} ± {number(one, 'sizes', 'spread_bp') or 0:,.0f} bp"
    n_pairs = f"{placed:,.0f} pairs"
    of = f"of {n_pairs}"
    if shares[0] >= MOST_PAIRS:
        reason = f"{inward} {of} placed face each other, as expected.{more}"
        return Finding(name, GOOD, figure, reason)
    if shares[1] >= MOST_PAIRS:
        reason = f"{outward} {of} placed face away from each other, as in a mate-pair library.{more}"
        return Finding(name, NOTE, figure, reason)
    if shares[2] >= MOST_PAIRS and median <= SAME_BP:
        reason = f"Both mates of {same} {of} are the same read: one file, or a copy of it, was given as both."
        advice = "Give the files of first and second mates (-1, -2) and assemble again: every read was counted twice."
        return Finding(name, POOR, figure, reason, advice)
    if shares[2] >= MOST_PAIRS:
        reason = f"{same} {of} placed are on the same strand: the reads of one file are reverse complements.{more}"
        return Finding(name, FAIR, figure, reason)
    reason = f"Of {n_pairs} placed, {inward} face each other, {outward} face away, {same} are on the same strand."
    advice = "Mixed orientations indicate several libraries in one file, or misassembled contigs."
    return Finding(name, FAIR, figure, reason + more, advice)
