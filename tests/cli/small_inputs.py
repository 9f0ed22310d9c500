"""Small files of each kind, on which every command can be run."""

from __future__ import annotations

from pathlib import Path

GENOME = "ACGTTGCATGCCAAGTCGATTACCGGTAGATCTTGCAGGCTATTCGCGAAT"
_FILES = {
    "genome.fa": f">genome\n{GENOME}\n",
    "reads.fa": "".join(f">r{i}\n{GENOME}\n" for i in range(20)),
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
