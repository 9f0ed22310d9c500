"""Find where a text that begins anywhere in a file of reads may be cut."""

from __future__ import annotations

from debruijn_gpu.io.fastx.record_blocks import end_of_fastq_record, last_letters


def start_of_record(text: bytes) -> int | None:
    """Find where a record of FASTQ begins in a text that begins anywhere; None: it is not seen.

    Two records of four lines follow each other there, as no lines of one record and parts of others do.
    """
    at = text.find(b"\n@")
    while at >= 0:
        start = at + 1
        end = end_of_fastq_record(text, start)
        if end and end < len(text) and end_of_fastq_record(text, end):
            return start
        at = text.find(b"\n@", start)
    return None


def repeated_letters(text: bytes) -> bytes | None:
    """Return the last letters of the record of FASTA that a text ends in, as batches repeat them.

    Parameters
    ----------
    text : bytes
        Begins with a header, or within a sequence; ends within a sequence.

    Returns
    -------
    bytes or None
        At most `REPEATED_BASES`; None if the text ends within a header, or behind it without letters.
    """
    header = 0 if text.startswith(b">") else text.rfind(b"\n>") + 1
    start = 0
    if header or text.startswith(b">"):
        start = text.find(b"\n", header) + 1
        if not start:
            return None
    return last_letters(text, start, len(text)) or None
