"""Numbers of a round of assembly, for log and report."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from debruijn_gpu.assembly.cleaning import CleanCounts
from debruijn_gpu.assembly.deferring import Deferred
from debruijn_gpu.assembly.statistics import nx_lx
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.reads.read_statistics import ReadLengths
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import counted as number_of

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


@dataclass(frozen=True)
class RoundKmers:
    """Numbers of k-mers of a round.

    Attributes
    ----------
    n_kmers : int
        Distinct k-mers of the graph before it was cleaned.
    n_counted : int
        Occurrences in reads of counted k-mers; after the first round, of those across several unitigs alone.
    n_linked : int
        Distinct k-mers that no read spans, kept for unique links between unitigs of the round before.
    n_mercy : int
        Distinct k-mers rarer than the minimum count, added in the first round as they bridge gaps.
    """

    n_kmers: int
    n_counted: int
    n_linked: int = 0
    n_mercy: int = 0


@dataclass(frozen=True)
class Round:
    """Results of one k.

    Attributes
    ----------
    k : int
    n_bases_read : int
        Bases of the reads; each round reads all reads.
    n_read_kmers : int
        Occurrences of k-mers in the reads; ambiguous bases are taken for bases.
    kmers : RoundKmers
    cleaned : CleanCounts or None
        None if the graph was left as it is.
    deferred : Deferred or None
        None if cleaning decided all.
    n_unitigs, n50_bp, total_bp : int
        Of the graph at the end of the round.
    """

    k: int
    n_bases_read: int
    n_read_kmers: int
    kmers: RoundKmers
    cleaned: CleanCounts | None
    deferred: Deferred | None
    n_unitigs: int
    n50_bp: int
    total_bp: int

    @property
    def share_counted(self) -> float:
        """Share of the k-mers of the reads that were counted."""
        return self.kmers.n_counted / max(1, self.n_read_kmers)

    def as_json(self) -> dict[str, Any]:
        """Return the member of ``rounds`` in ``report.json``."""
        members = asdict(self)
        first = {name: members.pop(name) for name in ("k", "n_bases_read", "n_read_kmers")}
        return {**first, **members.pop("kmers"), "share_counted": self.share_counted, **members}

    def sentence(self) -> str:
        """Describe the round in a line of the log."""
        counted = f"{100 * self.share_counted:.2f} % of the k-mers of reads counted"
        found = f"{number_of(self.n_unitigs, 'unitig')}, {self.total_bp:,} bp, N50 {self.n50_bp:,}"
        parts = [f"k = {self.k}: {found}", counted]
        parts += [f"{self.kmers.n_linked:,} k-mers kept for links"] * bool(self.kmers.n_linked)
        if self.deferred is not None:
            bubbles, connections = self.deferred.bubbles, self.deferred.erroneous_connections
            parts.append(f"{bubbles:,} bubbles and {connections:,} connections left to the next k")
        return "; ".join(parts)


def summarise(
    graph: UnitigGraph,
    lengths: ReadLengths,
    kmers: RoundKmers,
    cleaned: CleanCounts | None,
    deferred: Deferred | None,
    backend: AssemblyBackend,
) -> Round:
    """Summarise a round by its graph and the lengths of the reads, and log that."""
    lengths_bp = np.sort(np.diff(backend.to_host(graph.sequences.offsets)))[::-1]
    of_graph = len(graph), nx_lx(lengths_bp, 50)[0] or 0, int(lengths_bp.sum())
    done = Round(graph.k, lengths.n_bases, lengths.n_kmers(graph.k), kmers, cleaned, deferred, *of_graph)
    log.logger.info("  %s", done.sentence())
    return done
