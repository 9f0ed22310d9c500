"""Compile the scalar functions of `core.scalars` for the CPU."""

from __future__ import annotations

import numba
from numba.cpython.unsafe.tuple import tuple_setitem

from debruijn_gpu.backends.core import kmer_scalars, scalars
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel

_names = {**vars(kmer_scalars), **vars(scalars)}
_functions = scalars.compile_scalars(_names, numba.njit(nogil=True, error_model="numpy"), tuple_setitem)

add_elements = _functions["add_elements"]
append_base = _functions["append_base"]
base_at = _functions["base_at"]
base_letter = _functions["base_letter"]
below = _functions["below"]
bucket_of = _functions["bucket_of"]
digit_sum = _functions["digit_sum"]
draw = _functions["draw"]
equal = _functions["equal"]
hash_kmer = _functions["hash_kmer"]
hash_more = _functions["hash_more"]
leading_word = _functions["leading_word"]
least_rotation = _functions["least_rotation"]
less = _functions["less"]
meets = _functions["meets"]
minimizer_hash = _functions["minimizer_hash"]
mix = _functions["mix"]
permute = _functions["permute"]
prepend_base = _functions["prepend_base"]
reverse_complement = _functions["reverse_complement"]
reverse_complement_word = _functions["reverse_complement_word"]
rotation = _functions["rotation"]
smaller = _functions["smaller"]
splitter = _functions["splitter"]

# these take an array: else they would count references to it
bases_from = inlined_kernel(kmer_scalars.bases_from)
symbol_at = inlined_kernel(scalars.symbol_at)
without_mate = inlined_kernel(scalars.without_mate)
