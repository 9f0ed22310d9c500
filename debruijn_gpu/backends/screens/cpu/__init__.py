"""Match the k-mers of reads against reference sequences: the CPU side."""

from debruijn_gpu.backends.screens.cpu.colors import (
    index_sets as index_sets,
    position_runs as position_runs,
    tally_colors as tally_colors,
)
from debruijn_gpu.backends.screens.cpu.hit_lines import hit_lines as hit_lines, matrix_lines as matrix_lines
from debruijn_gpu.backends.screens.cpu.index import (
    index_sequences as index_sequences,
    representatives as representatives,
)
from debruijn_gpu.backends.screens.cpu.matching import match_reads as match_reads
from debruijn_gpu.backends.screens.cpu.records import mask_matches as mask_matches, trim_records as trim_records
from debruijn_gpu.backends.screens.cpu.table import (
    index_table as index_table,
    look_up_reads as look_up_reads,
    table_bytes as table_bytes,
)
from debruijn_gpu.backends.screens.cpu.tally import tally_matches as tally_matches, unmatched_ends as unmatched_ends
