"""Other forms of `dbg debruijn`: all sequences of an order, and shift registers in C and Verilog."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.io.output import open_output
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import print_message
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.sequences.all_sequences import all_sequences
from debruijn_gpu.sequences.counts import count_sequences, shown
from debruijn_gpu.sequences.export_c import export_c
from debruijn_gpu.sequences.export_verilog import export_verilog
from debruijn_gpu.sequences.hardware import export_taps, register_forms
from debruijn_gpu.sequences.options import check_export

if TYPE_CHECKING:
    from debruijn_gpu.run.options import RunOptions
    from debruijn_gpu.sequences.options import SequenceOptions
    from debruijn_gpu.sequences.symbols import Symbols


def write_export(chosen: SequenceOptions, symbols: Symbols, language: str, path: str | None) -> None:
    """Write the shift registers of methods lfsr and crt in a language."""
    assert chosen.order is not None
    check_export(language, chosen.method, len(symbols))
    registers = register_forms(len(symbols), chosen.order)
    if language == "taps":
        text = export_taps(registers)
    elif language == "c":
        text = export_c(registers, symbols, chosen.order)
    else:
        text = export_verilog(registers, len(symbols), chosen.order)
    with open_output(path) as stream:
        stream.write(text.encode())


def write_all(
    chosen: SequenceOptions, symbols: Symbols, limit: int | None, run: RunOptions, path: str | None, quiet: bool
) -> None:
    """Write all de Bruijn sequences, or the first ones, one per line."""
    assert chosen.order is not None
    k, n = len(symbols), chosen.order
    if run.backend == "cuda":
        backends.load_cuda(run)  # raises if there is no GPU, although sequences are found on the CPU
    found = all_sequences(k, n, memory_left(run.memory))
    first = next(found)  # raises before the message
    kind = "linear" if chosen.linear else "cyclic"
    n_symbols = len(first) + (n - 1 if chosen.linear else 0)
    if not quiet:
        print_message(f"[dbg] {kind} sequences of {shown(n_symbols)} symbols: {count_sequences(k, n).about}")
    with log.stage("write", unit="sequences") as stage, open_output(path) as stream:
        for number, codes in enumerate(islice(chain((first,), found), limit), 1):
            text = np.resize(codes, n_symbols)
            stream.write(symbols.spell(text).encode() if symbols.letters is None else symbols.letters[text].tobytes())
            stream.write(b"\n")
            stage.items = number
