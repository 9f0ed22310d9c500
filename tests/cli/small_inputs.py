"""Small files of each kind, on which every command can be run."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from debruijn_gpu.colors.color_sets import ColorSets
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.io.color_index.writing import write_color_index
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.sets.source import HeldKmers

GENOME = "ACGTTGCATGCCAAGTCGATTACCGGTAGATCTTGCAGGCTATTCGCGAAT"
_FILES = {
    "genome.fa": f">genome\n{GENOME}\n",
    "reads.fa": "".join(f">r{i}\n{GENOME}\n" for i in range(20)),
    "contigs.fa": f">a depth=9\n{GENOME * 30}\n>b depth=5\n{GENOME[::-1] * 20}\n",
    "numbers.txt": "3\n1\n2\n",
    "edges.txt": "1 2\n2 1\n",
    "edges.gfa": "S\ta\tACGTT\nS\tb\tTTGCA\nL\ta\t+\tb\t+\t2M\nP\tp\ta+,b+\t*\n",
    "ring.txt": "00010111\n",
    "windows.txt": "01\n10\n",
    "seed.txt": "1\n",
    "peptides.txt": "NQEL\n",
    "masses.txt": "0\n57\n71\n128\n",
    "counted.tsv": "ACGTT\t3\nCATGC\t20\n",
}


def write_small_inputs() -> None:
    """Write the files into the current directory."""
    for name, text in _FILES.items():
        Path(name).write_text(text)
    Path("genome.dbgc").write_bytes(color_index())


def color_index() -> bytes:
    """A colour index of two samples with three 5-mers."""
    codes = np.array([[1, 2, 77]], np.uint64)
    sets = ColorSets(np.array([0, 1, 3]), np.array([0, 0, 1], np.uint32))
    kmers = HeldKmers("x", KmerTable(5, codes, np.array([1, 2, 2], np.uint32)))
    stream = io.BytesIO()
    write_color_index(stream, ColorIndex(5, True, kmers, sets, ("a", "b"), np.array([3, 2])))
    return stream.getvalue()
