"""Operations on text on the host: numbers, names, graphs and records: the CPU side."""

from debruijn_gpu.backends.text.cpu.graph_names import (
    find_name as find_name,
    gather_names as gather_names,
    index_names as index_names,
    name_table as name_table,
    number_names as number_names,
)
from debruijn_gpu.backends.text.cpu.graph_parsing import (
    parse_name_rows as parse_name_rows,
    parse_number_rows as parse_number_rows,
)
from debruijn_gpu.backends.text.cpu.graph_printing import (
    concatenate_names as concatenate_names,
    concatenate_numbers as concatenate_numbers,
    row_words as row_words,
    walk_words as walk_words,
)
from debruijn_gpu.backends.text.cpu.number_printing import number_lines as number_lines
from debruijn_gpu.backends.text.cpu.number_spelling import record_lines as record_lines
from debruijn_gpu.backends.text.cpu.numbers import parse_numbers as parse_numbers
from debruijn_gpu.backends.text.cpu.read_names import name_spans as name_spans
from debruijn_gpu.backends.text.cpu.records import format_records as format_records, leading_bases as leading_bases
from debruijn_gpu.backends.text.cpu.symbols import encode_letters as encode_letters, spell_names as spell_names
