"""Operations on plain arrays: sort, scan, select, count, look up: the CPU side."""

from debruijn_gpu.backends.arrays.cpu.distinct_rows import distinct_rows as distinct_rows
from debruijn_gpu.backends.arrays.cpu.histograms import count_integers as count_integers, histogram as histogram
from debruijn_gpu.backends.arrays.cpu.lookups import lookup as lookup, semi_join as semi_join
from debruijn_gpu.backends.arrays.cpu.rows import (
    gather_rows as gather_rows,
    segmented_sum as segmented_sum,
    transpose as transpose,
)
from debruijn_gpu.backends.arrays.cpu.scans import (
    exclusive_scan as exclusive_scan,
    inclusive_scan as inclusive_scan,
    reduce as reduce,
)
from debruijn_gpu.backends.arrays.cpu.select import (
    compact as compact,
    matches as matches,
    run_lengths as run_lengths,
)
from debruijn_gpu.backends.arrays.cpu.sorting import (
    distinct as distinct,
    distinct_counts as distinct_counts,
    distinct_first as distinct_first,
    order_by as order_by,
    sort as sort,
    sort_pairs as sort_pairs,
    split_by_bit as split_by_bit,
)

# Arrays are on the host anyway.
sort_host, distinct_host, distinct_counts_host = sort, distinct, distinct_counts
