"""Sets of other formats that are truncated while they are read: one line and exit code 66, instead of SIGBUS."""

from __future__ import annotations

import subprocess
import sys

import pytest

from debruijn_gpu.io.kmer_sets import files
from tests.helpers import table_of
from tests.io.kmer_sets.test_other_formats import kmc_1, some_counts

#: Reads in small parts, and truncates the file after the first one
PROGRAM = """
import os, sys
from debruijn_gpu.cli import main
from debruijn_gpu.io.kmer_sets import files, kff, kmc, text
path, truncated = sys.argv[1:]
kff._AT_ONCE = kmc._AT_ONCE = 16
text._BLOCK_BYTES = 5000
sort = files.sorted_kmers
def sorted_kmers(name, k, canonical, parts, run):
    def through():
        for i, part in enumerate(parts):
            yield part
            if i == 0:
                os.truncate(truncated, 100)
    return sort(name, k, canonical, through(), run)
files.sorted_kmers = sorted_kmers
main(["kmers", "info", path, "-q"])
"""


def put_set(directory, file_format):
    """Write a set of a format; returns the name to read it by, and that of the file to truncate."""
    counts = {kmer: min(count, 60000) for kmer, count in some_counts(2000, 21).items()}
    if file_format == "kmc":
        kmc_1(directory, counts, 21)
        return directory / "db", directory / "db.kmc_suf"
    path = directory / "set"
    with open(path, "wb") as stream:
        files.write_table(stream, file_format, table_of(counts, 21))
    return path, path


@pytest.mark.parametrize("file_format", ["kff", "kmc", "tsv", "fasta"])
@pytest.mark.process
def test_truncation_while_a_set_is_read_is_an_error(tmp_path, file_format):
    path, truncated = put_set(tmp_path, file_format)
    program = [sys.executable, "-c", PROGRAM, str(path), str(truncated)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 66
    assert done.stdout == ""
    assert done.stderr.splitlines()[0] == f"dbg: {truncated}: the file changed while it was read"
