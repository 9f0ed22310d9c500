"""The scalar functions of `backends.scalars` that kernels call, compiled for the GPU."""

from __future__ import annotations

from debruijn_gpu.backends import scalars
from debruijn_gpu.backends.cuda.runtime import device_function

_functions = scalars.compile_scalars(device_function, scalars.with_word)

below = _functions["below"]
draw = _functions["draw"]
mix = _functions["mix"]
permute = _functions["permute"]
rotation = _functions["rotation"]
splitter = _functions["splitter"]
