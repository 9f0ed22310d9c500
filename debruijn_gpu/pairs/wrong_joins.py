"""Look for wrong joins in unitigs and between them, and cut them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.assembly.break_options import BreakOptions
from debruijn_gpu.assembly.breaks import BreakCounts
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.pairs.breaks import Break, find_breaks, intervals_of
from debruijn_gpu.pairs.chains import Chains
from debruijn_gpu.pairs.cutting import CutUnitigs, cut_unitigs
from debruijn_gpu.pairs.fragments import Fragments, fragments_of, projected
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.library import Library, library_of
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.placed_reads import PlacedReads
from debruijn_gpu.pairs.read_breaks import contradicted
from debruijn_gpu.pairs.within import Coordinates
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.run.room import make_room

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: Pieces are placed anew and looked at again, so many times at most: places close to each other are found one by one.
_MOST_ROUNDS = 3
_BYTES_PER_BIN, _BYTES_PER_PAIR = 120, 24  # of counts, and of fragments while they are sorted


@dataclass(frozen=True)
class Suspect:
    """A place that too few fragments span.

    Attributes
    ----------
    found : Break
    kind : str
        ``within`` a unitig or at a ``join``.
    is_cut : bool
    places : tuple of (int, int, int)
        Unitig, start and stop of the interval; of a cut the base next to it on each side.
    """

    found: Break
    kind: str
    is_cut: bool
    places: tuple[tuple[int, int, int], ...]

    def moved(self, move: Callable[[int, int, int], tuple[int, int, int] | None]) -> Suspect:
        """Translate the places; bases that were trimmed with their unitig have none."""
        moved = (move(*place) for place in self.places)
        return replace(self, places=tuple(place for place in moved if place is not None))


@dataclass(frozen=True)
class CheckedUnitigs:
    """What was looked at.

    Attributes
    ----------
    cuts : bool
        Whether wrong joins are cut.
    suspects : list of Suspect
        On unitigs of the graph.
    fragments : list of (Library, Fragments)
        On these unitigs.
    at : Coordinates
    options : BreakOptions
    """

    cuts: bool
    suspects: list[Suspect]
    fragments: list[tuple[Library, Fragments]]
    at: Coordinates
    options: BreakOptions = field(default_factory=BreakOptions)


def check_unitigs(
    graph: UnitigGraph,
    placed: PlacedReads,
    place_again: Callable[[UnitigGraph], PlacedReads],
    cuts: bool,
    options: BreakOptions,
    run: RunOptions,
    backend: AssemblyBackend,
) -> tuple[UnitigGraph, PlacedReads, CheckedUnitigs]:
    """Look for wrong joins within unitigs, cut them, and place the reads on what is left.

    Parameters
    ----------
    graph : UnitigGraph
        In arrays of the backend; so is the result.
    placed : PlacedReads
        On this graph.
    place_again : callable
        Places the reads on another graph.
    cuts : bool
        Whether to cut.
    options : BreakOptions
    run : RunOptions
    backend : AssemblyBackend
    """
    done: list[Suspect] = []
    for number in range(_MOST_ROUNDS):
        with log.stage("look for wrong joins"):
            checked = _looked_at(graph, placed, run, cuts, options, backend)
        wrong = [one.found for one in checked.suspects if can_be_cut(one.found, checked.at, graph.k)]
        if not cuts or not wrong or number + 1 == _MOST_ROUNDS:
            break
        with log.stage("cut wrong joins", unit="cuts") as stage:
            host = graph.moved(backend.to_host)
            pieces = cut_unitigs(host, intervals_of(wrong))
            done = [_moved(one, pieces) for one in done] + [_as_cut(one, pieces) for one in wrong]
            graph = pieces.graph.moved(backend.to_device)
            stage.items = len(wrong)
        placed = place_again(graph)
    return graph, placed, replace(checked, suspects=done + checked.suspects)


def can_be_cut(one: Break, at: Coordinates, k: int) -> bool:
    """Whether a place is a wrong join with a unitig on both sides.

    Nearer to an end, neighbours share the bases, and the links of the graph state what follows.
    """
    return one.is_wrong and one.start >= k and one.stop <= int(at.lengths[one.sequence]) - k


def coordinates_of(graph: UnitigGraph, backend: AssemblyBackend) -> Coordinates:
    """Measure unitigs, and the circles among them."""
    lengths = np.diff(backend.to_host(graph.sequences.offsets))
    return Coordinates(lengths, np.where(backend.to_host(graph.circular), backend.to_host(graph.n_kmers), 0))


def _looked_at(
    graph: UnitigGraph,
    placed: PlacedReads,
    run: RunOptions,
    cuts: bool,
    options: BreakOptions,
    backend: AssemblyBackend,
) -> CheckedUnitigs:
    at = coordinates_of(graph, backend)
    if placed.libraries:
        _check_memory(at, placed, run)
    found = [library_of(number, one.inserts) for number, one in enumerate(placed.libraries)]
    libraries = [library for library in found if library is not None]
    fragments = [(one, fragments_of(placed.libraries[one.number], one, at)) for one in libraries]
    breaks = find_breaks(fragments, at, options) if fragments else []
    if placed.agreement is not None:
        breaks = _without_overlaps(contradicted(placed.agreement, at.lengths, graph.k, options), breaks)
    suspects = [Suspect(one, "within", False, ((one.sequence, one.start, one.stop),)) for one in breaks]
    return CheckedUnitigs(cuts, suspects, fragments, at, options)


def _without_overlaps(of_reads: list[Break], breaks: list[Break]) -> list[Break]:
    """Add what reads tell to what fragments do, by sequence and place, except where fragments prove a join wrong.

    A place that fragments are missing across is left out where reads prove it wrong.
    """
    by_sequence: dict[int, list[Break]] = {}
    for other in breaks:
        by_sequence.setdefault(other.sequence, []).append(other)
    left_out = set()
    for one in of_reads:
        for other in by_sequence.get(one.sequence, ()):
            if one.start <= other.stop and other.start <= one.stop:
                left_out.add(one if other.is_wrong else other)
    found = [one for one in (*breaks, *of_reads) if one not in left_out]
    return sorted(found, key=lambda one: (one.sequence, one.start))


def _check_memory(at: Coordinates, placed: PlacedReads, run: RunOptions) -> None:
    """Raise an error if the memory that is left does not suffice for fragments and their counts."""
    n_pairs = max((len(one.within) + one.loose.places.shape[1] for one in placed.libraries), default=0)
    needed = _BYTES_PER_BIN * at.n_bins + _BYTES_PER_PAIR * n_pairs
    fix = "allow more memory (-m), or do not use pairs (--no-pairs)"
    make_room(needed, "counting the fragments across each place", lambda: memory_left(run.memory), fix)


def _as_cut(one: Break, pieces: CutUnitigs) -> Suspect:
    """Describe a cut by the bases on both sides that are still there."""
    left, right = pieces.piece_before(one.sequence, one.start), pieces.piece_behind(one.sequence, one.stop)
    places = [(left, pieces.length(left) - 1, pieces.length(left))] if left >= 0 else []
    places += [(right, 0, 1)] if right >= 0 else []
    return Suspect(one, "within", True, tuple(places))


def _moved(one: Suspect, pieces: CutUnitigs) -> Suspect:
    """Move a cut of an earlier round: its bases are at ends of unitigs, and so at ends of their pieces."""
    places = []
    for unitig, start, _stop in one.places:
        piece = pieces.firsts[unitig] if start == 0 else pieces.lasts[unitig]
        if piece >= 0:
            length = pieces.length(int(piece))
            places.append((int(piece), 0, 1) if start == 0 else (int(piece), length - 1, length))
    return replace(one, places=tuple(places))


def check_joins(
    found: dict[int, Join], ends: LinkGraph, checked: CheckedUnitigs
) -> tuple[dict[int, Join], list[Suspect]]:
    """Look for wrong joins between unitigs, along paths and across gaps, and take them back.

    Parameters
    ----------
    found : dict of int to Join
        By tail; see `joins.joins`.
    ends : LinkGraph
    checked : CheckedUnitigs

    Returns
    -------
    dict of int to Join
    list of Suspect
        All places, those within unitigs too.
    """
    if not found or not checked.fragments:
        return found, checked.suspects
    chains = Chains(found, ends)
    walks = Coordinates(chains.lengths)
    moved = [
        (one, projected(fragments, checked.at, chains, walks, 2 * one.longest_bp))
        for one, fragments in checked.fragments
    ]
    suspects, kept = list(checked.suspects), dict(found)
    for one in find_breaks(moved, walks, checked.options):
        join = chains.join_at(one.sequence, one.start, one.stop, ends.k)
        if join is None:
            continue
        if is_cut := one.is_wrong and checked.cuts:
            for tail in (join.link.tail, join.link.head ^ 1):
                kept.pop(tail, None)
        suspects.append(Suspect(one, "join", is_cut, _places_of_join(join, is_cut, ends)))
    return kept, suspects


def _places_of_join(join: Join, is_cut: bool, ends: LinkGraph) -> tuple[tuple[int, int, int], ...]:
    """The bases on both sides of a join; the first one alone if it was not cut."""
    last_of = []
    for vertex in (join.link.tail, join.link.head ^ 1):
        length = int(ends.lengths[vertex])
        last_of.append((vertex >> 1, 0, 1) if vertex & 1 else (vertex >> 1, length - 1, length))
    return tuple(last_of if is_cut else last_of[:1])


def log_suspects(suspects: list[Suspect]) -> None:
    """Log how many places too few fragments span, if there are any."""
    if suspects:
        counts = BreakCounts.of((one.found.is_wrong, one.is_cut) for one in suspects)
        log.logger.info(
            "  %s wrong joins cut, %s left; %s further places that few pairs span",
            *(f"{n:,}" for n in (counts.n_cut, counts.n_contradicted, counts.n_not_spanned)),
        )
