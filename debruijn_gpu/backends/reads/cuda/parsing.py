"""Parse FASTA and FASTQ text to packed reads.

The device parses what nearly all files are: FASTQ of four lines a record, and FASTA without blanks within lines. A text
that may hold anything else, above all a fault, is for the CPU, which then has all of it and decides alone what it says.
"""

from __future__ import annotations

import threading
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda import devices, memory
from debruijn_gpu.backends.core.cuda.fill import concatenated
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import to_device, to_host
from debruijn_gpu.backends.reads.cuda.fasta import parse_fasta
from debruijn_gpu.backends.reads.cuda.fastq import parse_fastq
from debruijn_gpu.backends.reads.letters import BLANK, CLASSES
from debruijn_gpu.backends.reads.protocol import ParsedReads

_LETTERS = bytes(np.flatnonzero(CLASSES < BLANK).tolist())
_BLANKS = bytes(range(33))

_AMPLE_TEXTS = 128  # of the size of a text in the memory budget: several may be parsed at the same time
_alone = threading.Lock()


@guarded
def parse_reads(text: NDArray[np.uint8], fastq: bool, final: bool) -> ParsedReads:
    """See `ReadOperations.parse_reads`; any thread may call this. Where memory is short, one at a time parses."""
    text = np.require(text, np.uint8, "C")
    with devices.on(devices.ranks()[0]):
        is_ample = memory.budget() >= _AMPLE_TEXTS * text.size
        with nullcontext() if is_ample else _alone:
            return _parse(text, fastq, final)


def _parse(text: NDArray[np.uint8], fastq: bool, final: bool) -> ParsedReads:
    if not fastq:
        return parse_fasta(text, final) or _moved(_parse_on_host(text, fastq, final))
    front = parse_fastq(text)
    rest = text[front.n_consumed :] if front else text
    if not final and _is_begun_record(rest.tobytes()):
        return front or _nothing()
    if front and not rest.size:
        return front
    tail = _parse_on_host(rest, fastq, final)
    return _followed(front, tail) if front else _moved(tail)


def _parse_on_host(text: NDArray[np.uint8], fastq: bool, final: bool) -> ParsedReads:
    """Parse a text on the CPU, whose kernels are loaded at the first such text."""
    from debruijn_gpu.backends.reads.cpu.parsing import parse_reads

    parsed: ParsedReads = parse_reads(text, fastq, final)
    return parsed


def _nothing() -> ParsedReads:
    none = np.empty(0, np.int64)
    offsets = np.zeros(1, np.int64)
    names = none.view(np.uint64)
    return _moved(ParsedReads(names, offsets, none, names, none, n_consumed=0, n_lines=0, fault=None))


def _moved(parsed: ParsedReads) -> ParsedReads:
    """Move the arrays of parsed reads to the device."""
    bases, offsets, ambiguous_positions = map(to_device, (parsed.bases, parsed.offsets, parsed.ambiguous_positions))
    return replace(parsed, bases=bases, offsets=offsets, ambiguous_positions=ambiguous_positions)


def _is_begun_record(text: bytes) -> bool:
    """Check whether a text is the valid start of one FASTQ record. May wrongly return False.

    Most texts end so; asking the CPU's parser would take longer, and its loading a share of a short run.
    """
    lines = text.split(b"\n", 4)
    if not lines[0].startswith(b"@") or len(lines) > 4:
        return False
    for i, line in enumerate(lines[1:], 1):
        content = line.removesuffix(b"\r")
        if i == 1 and content.translate(None, _LETTERS):
            return False
        if i == 2 and content and not content.startswith(b"+"):
            return False
        if i == 3 and (lines[1] in (b"", b"\r") or len(content.translate(None, _BLANKS)) < len(content)):
            return False
    return len(lines) < 4 or lines[2] not in (b"", b"\r")


def _followed(front: ParsedReads, tail: ParsedReads) -> ParsedReads:
    """Records parsed on the device, and those after them that the CPU parsed, whose positions begin anew."""
    n_consumed, n_lines = front.n_consumed + tail.n_consumed, front.n_lines + tail.n_lines
    fault = tail.fault
    empty_line = None if tail.empty_line is None else tail.empty_line + front.n_lines
    other_name_line = None if tail.other_name_line is None else tail.other_name_line + front.n_lines
    if fault is not None:
        fault = replace(fault, position=fault.position + front.n_consumed, line=fault.line + front.n_lines)
    if not tail.n_reads:
        n_empty_lines = tail.n_empty_lines  # there is no record behind them that would be noted
        return replace(front, n_consumed=n_consumed, n_lines=n_lines, fault=fault, n_empty_lines=n_empty_lines)
    n_bases = int(to_host(front.offsets[-1:])[0])
    return ParsedReads(
        bases=_concatenated_bases(front.bases, n_bases, tail.bases, int(tail.offsets[-1])),
        offsets=concatenated(front.offsets, to_device(tail.offsets[1:] + n_bases)),
        ambiguous_positions=concatenated(front.ambiguous_positions, to_device(tail.ambiguous_positions + n_bases)),
        names=np.concatenate([front.names, tail.names]),
        starts=np.concatenate([front.starts, tail.starts + front.n_consumed]),
        n_consumed=n_consumed,
        n_lines=n_lines,
        fault=fault,
        empty_line=empty_line,
        other_name_line=other_name_line,
        n_empty_lines=tail.n_empty_lines,
    )


def _concatenated_bases(first: Array, n_first: int, second: NDArray[np.uint64], n_second: int) -> Array:
    """Packed bases of the device with those of the host behind them."""
    n_filled = n_first % 32
    if not n_filled:
        return concatenated(first, to_device(second))
    moved = np.zeros(second.size + 1, np.uint64)
    moved[1:] = second << np.uint64(64 - 2 * n_filled)
    moved[:-1] |= second >> np.uint64(2 * n_filled)
    moved[0] |= to_host(first[-1:])[0]
    return concatenated(first[:-1], to_device(moved[: -(-(n_filled + n_second) // 32)]))
