"""Screening on a GPU writes the same bytes as on the CPU."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.cli import main
from tests.benchmarks.screening import random_genome, write_reads

pytestmark = pytest.mark.gpu

N_BASES, N_BYTES = 5_000_000, 200_000_000


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Reads of a genome and of another one; references that share sequence, with ambiguous bases."""
    place = tmp_path_factory.mktemp("screen")
    genome = random_genome(1, N_BASES)
    write_reads(place / "reads.fq", genome, N_BYTES)
    strain = genome[: N_BASES // 2].copy()
    strain[np.random.default_rng(1).integers(0, len(strain), 20_000)] = ord("N")
    (place / "genome.fa").write_bytes(b">genome\n" + genome.tobytes() + b"\n")
    (place / "strain.fa").write_bytes(b">strain\n" + strain.tobytes() + b"\n")
    return place


@pytest.mark.parametrize("options", ["-k 31", "-k 40 --mask", "-k 22 --trim --min-hits 1 --keep matched"])
def test_same_bytes(place, options):
    written = []
    for backend in ("cuda", "cpu"):
        output, report = place / f"{backend}.fq", place / f"{backend}.json"
        line = f"screen {place}/reads.fq --against {place}/genome.fa,{place}/strain.fa --backend {backend} {options}"
        with pytest.raises(SystemExit) as caught:
            main([*line.split(), "-o", str(output), "--report", str(report), "-q"])
        assert caught.value.code == 0
        written.append((output.read_bytes(), report.read_bytes()))
    assert written[0] == written[1]
