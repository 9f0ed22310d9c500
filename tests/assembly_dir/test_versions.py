"""Reports of former versions."""

from __future__ import annotations

import json

from debruijn_gpu.assembly_dir.reading import read_directory
from debruijn_gpu.assembly_dir.versions import current_keys


def test_keys_of_version_1_are_those_of_version_2():
    old = {"cleaning": {"tips": 1, "chimeras": 2, "by_round": [{"chimeras": 2}]}, "clean": {"chimera_ratio": 0.2}}
    assert current_keys(old) == {
        "cleaning": {"tips": 1, "erroneous_connections": 2, "by_round": [{"erroneous_connections": 2}]},
        "clean": {"connection_ratio": 0.2},
    }
    assert current_keys(current_keys(old)) == current_keys(old)


def test_directories_of_version_1_are_read(tmp_path):
    (tmp_path / "contigs.fasta").write_text(">contig_1 length=4 kmer_depth=1 read_depth=1 circular=no\nACGT\n")
    (tmp_path / "report.json").write_text(json.dumps({"schema_version": 1, "cleaning": {"chimeras": 7}}))
    assert read_directory(tmp_path).report["cleaning"] == {"erroneous_connections": 7}
