"""Operations on Euler circuits, trails and linked lists: the CUDA side."""

from debruijn_gpu.backends.circuits.cuda.checking import check_walks as check_walks
from debruijn_gpu.backends.circuits.cuda.cycles import find_cycles as find_cycles
from debruijn_gpu.backends.circuits.cuda.group_circuits import of_words as of_words, together as together
from debruijn_gpu.backends.circuits.cuda.list_ranking import rank_lists as rank_lists
from debruijn_gpu.backends.circuits.cuda.pairing import pair_edges as pair_edges
from debruijn_gpu.backends.circuits.cuda.predecessors import predecessors as predecessors
from debruijn_gpu.backends.circuits.cuda.splice_rest import splice_cycles as splice_cycles
from debruijn_gpu.backends.circuits.cuda.trails import (
    append_edges as append_edges,
    find_added as find_added,
    gather_ranges as gather_ranges,
)
from debruijn_gpu.backends.circuits.cuda.writing import write_circuits as write_circuits
