"""The scalar functions of `backends.scalars` that kernels call, compiled for the GPU."""

from __future__ import annotations

from debruijn_gpu.backends import scalars
from debruijn_gpu.backends.cuda.runtime import device_function, with_word

_functions = scalars.compile_scalars(device_function, with_word)

add_elements = _functions["add_elements"]
append_base = _functions["append_base"]
base_letter = _functions["base_letter"]
below = _functions["below"]
complement_letter = _functions["complement_letter"]
digit_sum = _functions["digit_sum"]
draw = _functions["draw"]
leading_word = _functions["leading_word"]
least_rotation = _functions["least_rotation"]
less = _functions["less"]
meets = _functions["meets"]
mix = _functions["mix"]
permute = _functions["permute"]
prepend_base = _functions["prepend_base"]
reverse_complement = _functions["reverse_complement"]
rotation = _functions["rotation"]
splitter = _functions["splitter"]
symbol_at = _functions["symbol_at"]
