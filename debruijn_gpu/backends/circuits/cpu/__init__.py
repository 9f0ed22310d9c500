"""Operations on Euler circuits, trails and linked lists: the CPU side."""

from debruijn_gpu.backends.circuits.cpu.checking import check_walks as check_walks
from debruijn_gpu.backends.circuits.cpu.cycles import find_cycles as find_cycles
from debruijn_gpu.backends.circuits.cpu.list_ranking import hierholzer as hierholzer, rank_lists as rank_lists
from debruijn_gpu.backends.circuits.cpu.pairing import (
    of_words as of_words,
    orient_edges as orient_edges,
    pair_edges as pair_edges,
    predecessors as predecessors,
    together as together,
)
from debruijn_gpu.backends.circuits.cpu.splices import splice_cycles as splice_cycles
from debruijn_gpu.backends.circuits.cpu.trails import (
    append_edges as append_edges,
    find_added as find_added,
    gather_ranges as gather_ranges,
)
from debruijn_gpu.backends.circuits.cpu.writing import write_circuits as write_circuits
