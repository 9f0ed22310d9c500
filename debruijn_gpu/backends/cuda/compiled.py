"""The scalar functions of `backends.scalars` that kernels call, compiled for the GPU."""

from __future__ import annotations

from debruijn_gpu.backends import scalars
from debruijn_gpu.backends.cuda.later import device_function, tuple_setitem

_functions = scalars.compile_scalars(device_function, tuple_setitem)

add_elements = _functions["add_elements"]
below = _functions["below"]
digit_sum = _functions["digit_sum"]
draw = _functions["draw"]
leading_word = _functions["leading_word"]
least_rotation = _functions["least_rotation"]
meets = _functions["meets"]
mix = _functions["mix"]
permute = _functions["permute"]
rotation = _functions["rotation"]
splitter = _functions["splitter"]
symbol_at = _functions["symbol_at"]
