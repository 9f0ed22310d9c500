"""Match the k-mers of reads against reference sequences: the CUDA side."""

from debruijn_gpu.backends.screens.cuda.index import (
    index_sequences as index_sequences,
    representatives as representatives,
)
from debruijn_gpu.backends.screens.cuda.matching import match_reads as match_reads
from debruijn_gpu.backends.screens.cuda.table import (
    index_table as index_table,
    look_up_reads as look_up_reads,
    table_bytes as table_bytes,
)
