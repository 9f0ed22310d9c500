"""State of an assembly between two stages, and its form in checkpoints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from debruijn_gpu.assembly.cleaning import CleanCounts
from debruijn_gpu.assembly.deferring import Deferred
from debruijn_gpu.assembly.gap_filling import Filling
from debruijn_gpu.assembly.insert_sizes import InsertSizes, SizeSummary
from debruijn_gpu.assembly.popped import PoppedBubble
from debruijn_gpu.assembly.result import KmerCounts
from debruijn_gpu.assembly.round_summary import Round, RoundKmers
from debruijn_gpu.assembly.situation import NOTHING_FOUND, Findings
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.io.structures import Structures
from debruijn_gpu.kmers.choose_k import KChoice
from debruijn_gpu.kmers.depth_limit import DepthLimit
from debruijn_gpu.kmers.saved_kmers import SavedKmers
from debruijn_gpu.kmers.spectrum import Spectrum, SpectrumEstimate
from debruijn_gpu.reads.read_statistics import ReadLengths
from debruijn_gpu.reads.trimming import Trimmed
from debruijn_gpu.run.record import StageRecord

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend
    from debruijn_gpu.pairs.resolution import PairResults

#: Names of checkpoints; those of rounds are between them
KMERS, PAIRS = "000_kmers", "999_pairs"
_COUNTED = SavedKmers, KmerCounts, KChoice, Spectrum, SpectrumEstimate, ReadLengths, DepthLimit, Trimmed, StageRecord
_OF_ROUNDS = Findings, Round, RoundKmers, Deferred, CleanCounts, PoppedBubble, StageRecord


@dataclass
class Progress:
    """State of an assembly after a round, or after pairs were used.

    Attributes
    ----------
    graph : UnitigGraph or None
        In arrays of a backend; None before the first round.
    rounds : list of Round
    found : Findings
        Of the first round.
    popped : list of PoppedBubble
        Popped bubbles that do not look like errors, if they are to be reported.
    pairs : PairResults or None
        None before reads were placed.
    """

    graph: UnitigGraph | None = None
    rounds: list[Round] = field(default_factory=list)
    found: Findings = NOTHING_FOUND
    popped: list[PoppedBubble] = field(default_factory=list)
    pairs: PairResults | None = None

    @property
    def name(self) -> str:
        """Name of the checkpoint."""
        return f"{len(self.rounds):03d}_round" if self.pairs is None else PAIRS

    @property
    def finished(self) -> list[str]:
        """Stages up to now, for the log."""
        ks = ", ".join(str(done.k) for done in self.rounds)
        rounds = f"round{'s' * (len(self.rounds) > 1)} k = {ks} done"
        return [rounds] if self.pairs is None else [rounds, "reads placed"]

    def needs_reads(self, n_ks: int, after_rounds: bool) -> bool:
        """Whether a later stage reads the reads: a round after the first, mercy k-mers before it, or one after them.

        That is the correction of bases, and the search for the ends of contigs and for ways through repeats
        (``after_rounds``: whether there is one), which is saved if it resolves repeats or measures pairs.
        """
        return self.pairs is None and (after_rounds or (n_ks > 1 and len(self.rounds) < n_ks))


def structures_of(name: str) -> Structures:
    """Return the dataclasses of a checkpoint."""
    if name == KMERS:
        return Structures(*_COUNTED)
    if name != PAIRS:
        return Structures(*_OF_ROUNDS)
    from debruijn_gpu.pairs import closing, joins, links, resolution, walks, wrong_joins  # large, and only for pairs
    from debruijn_gpu.pairs.breaks import Break

    walked = walks.Walk, joins.Join, links.Link, closing.Closure, wrong_joins.Suspect, Break, Filling
    results = resolution.PairResults, resolution.Resolution, InsertSizes, SizeSummary
    return Structures(*_OF_ROUNDS, *walked, *results)


def graph_arrays(graph: UnitigGraph) -> dict[str, Any]:
    """List k and arrays of a unitig graph in host memory."""
    return {
        "k": graph.k,
        "row_ptr": graph.graph.row_ptr,
        "col": graph.graph.col,
        "offsets": graph.sequences.offsets,
        "bases": graph.sequences.bases,
        "circular": graph.circular,
        "n_kmers": graph.n_kmers,
        "kmer_counts": graph.kmer_counts,
    }


def loaded_progress(found: dict[str, Any], backend: AssemblyBackend) -> Progress:
    """Build the progress of loaded members, with arrays of a backend."""
    parts = dict(found["graph"])
    graph = Graph(parts.pop("row_ptr"), parts.pop("col"))
    sequences = PackedSequences(parts.pop("offsets"), parts.pop("bases"))
    unitigs = UnitigGraph(graph=graph, sequences=sequences, **parts).moved(backend.to_device)
    return Progress(unitigs, **{name: found[name] for name in vars(Progress()) if name != "graph"})
