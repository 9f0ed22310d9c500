"""Operations on fixed-point vectors: the CPU side."""

from debruijn_gpu.backends.vectors.cpu.units import best_matching_units as best_matching_units
from debruijn_gpu.backends.vectors.cpu.updates import (
    move_weights as move_weights,
    smooth as smooth,
    sum_by_unit as sum_by_unit,
)
from debruijn_gpu.backends.vectors.cpu.words import count_words as count_words
