"""Contig statistics as their definitions read."""

from __future__ import annotations


def nx_lx(lengths, percent):
    """Add the longest contigs up until they hold the share."""
    total, so_far = sum(lengths), 0
    for n, length in enumerate(sorted(lengths, reverse=True), 1):
        so_far += length
        if so_far * 100 >= total * percent:
            return length, n
    return None, None


def rows(sequences, min_contig_bp):
    """QUAST's rows, name and value, not rounded."""
    thresholds = (0, 1000, 5000, 10000, 25000, 50000)
    found = {}
    for t in thresholds:
        found[f"# contigs (>= {t} bp)"] = sum(len(s) >= t for s in sequences)
    for t in thresholds:
        found[f"Total length (>= {t} bp)"] = sum(len(s) for s in sequences if len(s) >= t)
    chosen = [s for s in sequences if len(s) >= min_contig_bp]
    lengths = [len(s) for s in chosen]
    bases = "".join(chosen)
    total = len(bases)
    n_acgt = sum(base in "ACGT" for base in bases)
    n50, l50 = nx_lx(lengths, 50) if total else (None, None)
    n90, l90 = nx_lx(lengths, 90) if total else (None, None)
    found["# contigs"] = len(chosen)
    found["Largest contig"] = max(lengths, default=0)
    found["Total length"] = total
    found["GC (%)"] = 100 * sum(base in "GC" for base in bases) / n_acgt if n_acgt else None
    found["N50"], found["N90"] = n50, n90
    # the mean, over bases, of the length of the contig that the base is in
    found["auN"] = sum(len(s) for s in chosen for _ in s) / total if total else None
    found["L50"], found["L90"] = l50, l90
    found["# N's per 100 kbp"] = 100000 * (total - n_acgt) / total if total else None
    return found
