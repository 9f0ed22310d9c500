"""Operations on plain arrays: sort, scan, select, count, look up: the CUDA side."""

from debruijn_gpu.backends.arrays.cuda.distinct_rows import distinct_rows as distinct_rows
from debruijn_gpu.backends.arrays.cuda.histograms import count_integers as count_integers, histogram as histogram
from debruijn_gpu.backends.arrays.cuda.lookups import lookup as lookup, semi_join as semi_join
from debruijn_gpu.backends.arrays.cuda.rows import (
    gather_rows as gather_rows,
    segmented_sum as segmented_sum,
    transpose as transpose,
)
from debruijn_gpu.backends.arrays.cuda.runs import (
    distinct_counts_host as distinct_counts_host,
    distinct_host as distinct_host,
    sort_host as sort_host,
)
from debruijn_gpu.backends.arrays.cuda.scans import (
    exclusive_scan as exclusive_scan,
    inclusive_scan as inclusive_scan,
    reduce as reduce,
)
from debruijn_gpu.backends.arrays.cuda.select import (
    compact as compact,
    distinct as distinct,
    distinct_counts as distinct_counts,
    distinct_first as distinct_first,
    matches as matches,
    run_lengths as run_lengths,
)
from debruijn_gpu.backends.arrays.cuda.sorting import (
    order_by as order_by,
    sort as sort,
    sort_pairs as sort_pairs,
    split_by_bit as split_by_bit,
)
