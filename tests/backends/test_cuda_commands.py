"""Commands on reads, from their options to their files: the same bytes as on the CPU. In the simulator too."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.backends import crossover
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuned
from tests.helpers import random_sequence

pytestmark = pytest.mark.cuda

COMMANDS = {
    "assemble": ["assemble", "-k", "5", "--min-count", "1", "--min-contig", "1"],
    "assemble raw": ["assemble", "-k", "7", "--min-count", "1", "--min-contig", "1", "--no-clean"],
    "unitigs": ["unitigs", "-k", "5", "--min-count", "1", "--format", "gfa"],
    "count": ["count", "-k", "5"],
    "count, two words": ["count", "-k", "33", "--forward"],
    "spectrum": ["spectrum", "-k", "5"],
}


@pytest.fixture
def reads(tmp_path):
    """FASTQ with an error and an ambiguous base, in both strands."""
    genome = random_sequence(np.random.default_rng(3), 40)
    texts = [genome, genome[5:], genome[:20] + "A" + genome[21:36], genome[2:18] + "N" + genome[19:39]]
    path = tmp_path / "reads.fq"
    path.write_text("".join(f"@{i}\n{text}\n+\n{'F' * len(text)}\n" for i, text in enumerate(texts)))
    return path


@pytest.mark.parametrize("name", COMMANDS)
def test_same_bytes(cuda, dbg, reads, tmp_path, name):
    written = []
    for backend in ("cuda", "cpu"):
        output = tmp_path / backend
        code, _out, err = dbg(*COMMANDS[name], reads, "--backend", backend, "-o", output)
        assert (code, "error:" in err) == (0, False), err
        if output.is_dir():
            timed = {"dbg.log", "report.html", "run.json"}
            names = {path.name for path in output.iterdir()} - timed
            written.append({name: (output / name).read_bytes() for name in names})
        else:
            written.append({"": output.read_bytes()})
    assert written[0] == written[1]


@pytest.mark.parametrize("name", ["assemble", "unitigs", "count, two words", "spectrum"])
def test_same_bytes_of_several_ranks(cuda, dbg, reads, tmp_path, name):
    written = []
    for ranks, partitions in ((1, 0), (3, 4)):
        output = tmp_path / f"{ranks}"
        with tuned(ranks_per_gpu=ranks, partitions=partitions):
            code, _out, err = dbg(*COMMANDS[name], reads, "--backend", "cuda", "--gpus", "all", "-o", output)
        assert (code, "error:" in err) == (0, False), err
        written.append((output / "contigs.fasta" if output.is_dir() else output).read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize(
    "options", ["-k 5 --keep matched", "-k 9 --mask", "-k 6 --trim --min-length 0 --per-record", "-k 33"]
)
def test_same_bytes_of_screen(cuda, dbg, reads, tmp_path, options):
    reference = tmp_path / "reference.fa"
    sequences = reads.read_text().split("\n")[1::4]
    reference.write_text(f">a\n{sequences[0][:30]}\n>b\n{sequences[1][:20]}NN{sequences[1][1:]}\n")
    written = []
    for backend, ranks in (("cuda", 1), ("cuda", 3), ("cpu", 1)):
        report, output = tmp_path / f"{backend}{ranks}.tsv", tmp_path / f"{backend}{ranks}"
        line = f"screen --against {reference} --backend {backend} -o {output} --report {report} {options}"
        with tuned(ranks_per_gpu=ranks):
            code, _out, err = dbg(*line.split(), reads)
        assert (code, "error:" in err) == (0, False), err
        written.append((output.read_bytes(), report.read_bytes()))
    assert written[0] == written[1] == written[2]


WALKS = [
    ("eulerian -n 12", "euler --verify"),
    ("cactus -n 40 --cycle-edges 4", "euler --single"),
    ("eulerian -n 9 --path", "euler --path"),
    ("random -n 11", "euler --trails --verify"),
    ("random -n 5", "euler --trails --undirected"),
    ("debruijn --alphabet 2 -n 5", "euler --start 0110"),
]


@pytest.mark.parametrize("n_times", [0, 1, 3])
@pytest.mark.parametrize(("made", "command"), WALKS)
def test_same_walks_of_several_ranks(cuda, dbg, tmp_path, monkeypatch, made, command, n_times):
    """The first GPU has room for what it is asked first: to balance the graph, to cut circuits and to verify walks."""
    from debruijn_gpu.backends.circuits.cuda import group_circuits

    asked = []
    monkeypatch.setattr(
        group_circuits.GroupCircuits, "has_room", lambda self, n_bytes: asked.append(n_bytes) or len(asked) <= n_times
    )
    graph = tmp_path / "graph.npz"
    assert dbg("generate", *made.split(), "-o", graph)[0] == 0
    written = []
    for options, ranks in (("--backend cpu", 1), ("--backend cuda --gpus all", 3)):
        with tuned(ranks_per_gpu=ranks, edges_of_several=0):
            code, out, err = dbg(*command.split(), graph, *options.split())
        assert (code, "error:" in err) == (0, False), err
        written.append(out)
    assert written[0] == written[1]


@pytest.mark.parametrize("ranks", [1, 3])
def test_same_sequence_of_several_ranks(cuda, dbg, ranks):
    command = ["debruijn", "3", "4", "--method", "euler"]
    with tuned(ranks_per_gpu=ranks, edges_of_several=0):
        assert dbg(*command, "--backend", "cuda", "--gpus", "all")[1] == dbg(*command, "--backend", "cpu")[1]


def test_input_decides_under_auto(cuda, dbg, reads, monkeypatch):
    assert RunOptions().backend == "auto"
    monkeypatch.setitem(crossover.DEFAULTS, "reads", 1 << 20)
    code, _out, err = dbg("count", "-v", "-k", "5", reads)
    assert (code, "[dbg] backend: cpu (a GPU is faster for reads above" in err) == (0, True)
