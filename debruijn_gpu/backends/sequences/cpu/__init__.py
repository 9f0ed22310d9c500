"""Operations on words, necklaces, shift registers and look-and-say terms: the CPU side."""

from debruijn_gpu.backends.sequences.cpu.colex import follow_colex as follow_colex, skip_colex as skip_colex
from debruijn_gpu.backends.sequences.cpu.exits import (
    walk_at_random as walk_at_random,
    walk_prefer_same as walk_prefer_same,
)
from debruijn_gpu.backends.sequences.cpu.look_and_say import (
    extend_long_sums as extend_long_sums,
    look_at_term as look_at_term,
    say_term as say_term,
    set_long_series as set_long_series,
)
from debruijn_gpu.backends.sequences.cpu.necklaces import (
    follow_lyndon as follow_lyndon,
    lyndon_positions as lyndon_positions,
    lyndon_symbols as lyndon_symbols,
    lyndon_windows as lyndon_windows,
)
from debruijn_gpu.backends.sequences.cpu.registers import (
    combine_symbols as combine_symbols,
    concatenate_symbols as concatenate_symbols,
    find_logs as find_logs,
    make_steps as make_steps,
    register_bits as register_bits,
    register_symbols as register_symbols,
)
from debruijn_gpu.backends.sequences.cpu.rings import (
    is_primitive as is_primitive,
    ring_elements as ring_elements,
    ring_powers as ring_powers,
    ring_powers_of_x as ring_powers_of_x,
    ring_product as ring_product,
    ring_windows as ring_windows,
)
from debruijn_gpu.backends.sequences.cpu.symbols import (
    checksum_bytes as checksum_bytes,
    pack_symbols as pack_symbols,
    translate_symbols as translate_symbols,
    unpack_symbols as unpack_symbols,
)
from debruijn_gpu.backends.sequences.cpu.windows import (
    empty_bitmap as empty_bitmap,
    first_repeat as first_repeat,
    leading_symbols as leading_symbols,
    mark_windows as mark_windows,
)
from debruijn_gpu.backends.sequences.cpu.words import (
    digit_sums as digit_sums,
    extend_words as extend_words,
    least_rotations as least_rotations,
    quotients as quotients,
    remainders as remainders,
    smallest_rotation as smallest_rotation,
)
