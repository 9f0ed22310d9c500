"""The scalar functions of `backends.scalars`, compiled for the CPU."""

from __future__ import annotations

import numba
from numba.cpython.unsafe.tuple import tuple_setitem

from debruijn_gpu.backends import scalars

_functions = scalars.compile_scalars(numba.njit(nogil=True, error_model="numpy"), tuple_setitem)

append_base = _functions["append_base"]
base_at = _functions["base_at"]
below = _functions["below"]
draw = _functions["draw"]
equal = _functions["equal"]
hash_kmer = _functions["hash_kmer"]
less = _functions["less"]
mix = _functions["mix"]
permute = _functions["permute"]
prepend_base = _functions["prepend_base"]
reverse_complement = _functions["reverse_complement"]
smaller = _functions["smaller"]
splitter = _functions["splitter"]
reverse_complement_word = _functions["reverse_complement_word"]
rotation = _functions["rotation"]
