"""Compile the scalar functions of `core.scalars` for the GPU."""

from __future__ import annotations

from debruijn_gpu.backends.core import kmer_scalars, scalars
from debruijn_gpu.backends.core.cuda.deferred import device_function, with_word

_names = {**vars(kmer_scalars), **vars(scalars)}
_functions = scalars.compile_scalars(_names, device_function, with_word)

add_elements = _functions["add_elements"]
append_base = _functions["append_base"]
base_at = _functions["base_at"]
base_letter = _functions["base_letter"]
bases_from = _functions["bases_from"]
below = _functions["below"]
bucket_of = _functions["bucket_of"]
digit_sum = _functions["digit_sum"]
draw = _functions["draw"]
equal = _functions["equal"]
hash_kmer = _functions["hash_kmer"]
hash_more = _functions["hash_more"]
identify_kmer = _functions["identify_kmer"]
kmer_at = _functions["kmer_at"]
leading_bits = _functions["leading_bits"]
leading_word = _functions["leading_word"]
least_minimizer_hash = _functions["least_minimizer_hash"]
least_rotation = _functions["least_rotation"]
less = _functions["less"]
meets = _functions["meets"]
mix = _functions["mix"]
permute = _functions["permute"]
prepend_base = _functions["prepend_base"]
reverse_complement = _functions["reverse_complement"]
reverse_complement_word = _functions["reverse_complement_word"]
rotation = _functions["rotation"]
smaller = _functions["smaller"]
splitter = _functions["splitter"]
symbol_at = _functions["symbol_at"]
without_mate = _functions["without_mate"]
