"""Operations on words, necklaces, shift registers and look-and-say terms: the CUDA side."""

from debruijn_gpu.backends.sequences.cuda.look_and_say import look_at_term as look_at_term, say_term as say_term
from debruijn_gpu.backends.sequences.cuda.necklaces import lyndon_symbols as lyndon_symbols
from debruijn_gpu.backends.sequences.cuda.registers import (
    combine_symbols as combine_symbols,
    concatenate_symbols as concatenate_symbols,
    register_bits as register_bits,
    register_symbols as register_symbols,
)
from debruijn_gpu.backends.sequences.cuda.symbols import (
    checksum_bytes as checksum_bytes,
    pack_symbols as pack_symbols,
    translate_symbols as translate_symbols,
    unpack_symbols as unpack_symbols,
)
from debruijn_gpu.backends.sequences.cuda.windows import (
    empty_bitmap as empty_bitmap,
    first_repeat as first_repeat,
    leading_symbols as leading_symbols,
    mark_windows as mark_windows,
)
from debruijn_gpu.backends.sequences.cuda.words import (
    digit_sums as digit_sums,
    extend_words as extend_words,
    least_rotations as least_rotations,
    quotients as quotients,
    remainders as remainders,
)
