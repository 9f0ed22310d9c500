"""Give reads artefacts of one strand: the base behind GGC is wrong in part of the reads that pass it in this direction.

Which of these places are wrong is told by a hash of the bases before them, as reads do not know where they are from.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from zlib import crc32

import numpy as np

MOTIF = b"GGC"
#: Bases before a wrong one that tell its place
CONTEXT_BP = 14
_OTHER = bytes.maketrans(b"ACGT", b"CGTA")


def with_artefacts(read: bytes, site_share: float, read_share: float, rng: np.random.Generator) -> bytes:
    """Change the base behind some motifs of a read.

    Parameters
    ----------
    read : bytes
    site_share : float
        Share of the places of a genome behind the motif that are prone to artefacts.
    read_share : float
        Share of the reads of the strand that are wrong there.
    rng : numpy.random.Generator
    """
    changed = bytearray(read)
    at = read.find(MOTIF)
    while at >= 0:
        place = at + len(MOTIF)
        is_site = crc32(read[place - CONTEXT_BP : place]) < site_share * 2**32 if place >= CONTEXT_BP else False
        if is_site and place < len(read) and rng.random() < read_share:
            changed[place : place + 1] = changed[place : place + 1].translate(_OTHER)
        at = read.find(MOTIF, at + 1)
    return bytes(changed)


def rewrite(path: Path, site_share: float, read_share: float, seed: int) -> None:
    """Change the reads of a FASTQ file of four lines a read, plain or gzipped."""
    rng = np.random.default_rng(seed)
    is_gzip = path.suffix == ".gz"
    lines = (gzip.decompress(path.read_bytes()) if is_gzip else path.read_bytes()).split(b"\n")
    lines[1::4] = [with_artefacts(read, site_share, read_share, rng) for read in lines[1::4]]
    text = b"\n".join(lines)
    path.write_bytes(gzip.compress(text, 1, mtime=0) if is_gzip else text)
