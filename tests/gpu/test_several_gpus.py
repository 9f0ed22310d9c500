"""Several GPUs, and several ranks on each, give the bytes of one. A machine with one GPU takes the same ways."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.euler.circuits import circuits_together, euler_circuits
from debruijn_gpu.graph.generate import generate
from debruijn_gpu.graph.options import GenerateOptions
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuned

pytestmark = pytest.mark.gpu

DATA = Path(__file__).parents[2] / "data"
PAIR = ["-1", DATA / "phix174_R1.fastq.gz", "-2", DATA / "phix174_R2.fastq.gz"]
TIMED = {"dbg.log", "report.html", "run.json"}
COMMANDS = {
    "count": ["count", "-k", "31"],
    "count forward": ["count", "-k", "97", "--forward", "--min-count", "2"],
    "count few k-mers": ["count", "-k", "2"],
    "spectrum": ["spectrum", "-k", "33", "--json"],
    "unitigs": ["unitigs", "-k", "21"],
    "edge-centric unitigs": ["unitigs", "-k", "41", "--edge-centric", "--no-clean", "--min-count", "1"],
    "screened": ["screen", "--against", DATA / "phix174_J02482.fa", "--keep", "matched"],
    "contigs": ["assemble", "-k", "25,63"],
}


def written(dbg, command, output, *options):
    """Files that a command writes, by name, but those that hold times."""
    code, _out, err = dbg(*command, *PAIR, "--backend", "cuda", "-o", output, *options)
    assert code == 0, err
    files = [output] if output.is_file() else [path for path in output.iterdir() if path.name not in TIMED]
    return {path.name if output.is_dir() else "": path.read_bytes() for path in files}


@pytest.mark.parametrize("partitions", [0, 7])
@pytest.mark.parametrize("name", COMMANDS)
def test_same_bytes(dbg, tmp_path, name, partitions):
    alone = written(dbg, COMMANDS[name], tmp_path / "alone")
    assert written(dbg, COMMANDS[name], tmp_path / "all", "--gpus", "all") == alone
    for ranks in (2, 5):
        with tuned(ranks_per_gpu=ranks, partitions=partitions):
            assert written(dbg, COMMANDS[name], tmp_path / f"ranks{ranks}", "--gpus", "all") == alone


CIRCUITS = {
    "circuit": (["generate", "eulerian", "-n", "20000"], ["euler"]),
    "many circuits": (["generate", "cactus", "-n", "60000"], ["euler"]),
    "trails": (["generate", "random", "-n", "20000"], ["euler", "--trails", "--verify"]),
    "path": (["generate", "eulerian", "-n", "9000", "--path"], ["euler", "--path"]),
    "words": (["generate", "debruijn", "--alphabet", "4", "-n", "8"], ["euler", "--verify"]),
}


@pytest.mark.parametrize("noted", [1, 1 << 20])
@pytest.mark.parametrize("name", CIRCUITS)
def test_same_circuits(dbg, tmp_path, name, noted):
    made, command = CIRCUITS[name]
    graph = tmp_path / "graph.npz"
    assert dbg(*made, "-o", graph)[0] == 0

    def walks(*options):
        output = tmp_path / "walks.npz"
        code, _out, err = dbg(*command, graph, "--backend", "cuda", "-o", output, *options)
        assert code == 0, err
        return output.read_bytes()

    alone = walks()
    for ranks, share in ((1, 1), (1, 0), (2, 1), (5, 0)):
        some = {"few_edges": noted, "noted_edges": noted, "dealt_edges": noted, "copied_pairs_share": share}
        with tuned(ranks_per_gpu=ranks, edges_of_several=0, **some):
            assert walks("--gpus", "all") == alone


@pytest.mark.parametrize("dealt", [0, 1 << 30])
@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_same_circuits_of_a_graph_on_the_first_gpu(ranks, dealt):
    """Others get their rows while they deal them out."""
    backend = backends.load_cuda(RunOptions(backend="cuda", gpus="all"))
    graph = generate(GenerateOptions(kind="eulerian", n=300_000), backend)
    alone = backend.to_host(euler_circuits(graph, backend).steps)
    with tuned(ranks_per_gpu=ranks, edges_of_several=0, dealt_edges=dealt):
        circuits = backend.circuits.together(graph.n_edges)
        if circuits is None:
            pytest.skip("a rank on one GPU")
        for _ in range(3):
            np.testing.assert_array_equal(circuits_together(graph, circuits)[1].on_host(), alone)


def test_same_sequence(dbg, tmp_path):
    command = ["debruijn", "4", "9", "--method", "euler", "--backend", "cuda"]
    alone = dbg(*command)
    assert alone[0] == 0
    for ranks in (1, 3):
        with tuned(ranks_per_gpu=ranks, edges_of_several=0):
            assert dbg(*command, "--gpus", "all")[1] == alone[1]


@pytest.mark.parametrize("k", [31, 64])
def test_little_memory(dbg, tmp_path, k):
    """K-mers of several parts and runs, which several ranks exchange."""
    reads, letters = tmp_path / "reads.fa", np.frombuffer(b"ACGT", "S1")
    bases = np.random.default_rng(1).integers(0, 4, 12_000_000)
    bases[1_000_000:3_000_000] = 0  # one k-mer, two million times
    reads.write_bytes(b">a\n" + letters[bases].tobytes() + b"\n")
    found = []
    for ranks, memory in ((1, "0.9"), (3, "1G"), (3, "600M")):
        with tuned(ranks_per_gpu=ranks, shortest_kmer_run=1 << 12):
            output = tmp_path / f"{ranks}{memory}.npz"
            code, _out, err = dbg("count", "-k", k, reads, "--backend", "cuda", "--gpu-memory", memory, "-o", output)
            assert code == 0, err
            found.append(output.read_bytes())
    assert found[0] == found[1] == found[2]


def test_nccl_copies_as_peers_do():
    """NCCL refuses two ranks on one GPU, so that each GPU is a rank."""
    from debruijn_gpu.backends.core.cuda import devices, links
    from debruijn_gpu.backends.core.cuda.array_module import find_nccl, xp

    nccl = find_nccl()
    if nccl is None:
        pytest.skip("NCCL is not installed")
    backends.load_cuda(RunOptions(backend="cuda", gpus="all"))
    ranks = devices.ranks()
    found = []
    for link in (links.NcclLinks(ranks, nccl), links.PeerLinks(ranks)):
        sends, receives = [], []
        for rank, device in enumerate(ranks):
            with devices.on(device):
                sends.append([xp.arange(1000 * (rank + to + 1), dtype=np.uint64) for to in range(len(ranks))])
                receives.append([xp.zeros(1000 * (rank + to + 1), np.uint64) for to in range(len(ranks))])
        link.copy((sends, receives))
        found.append([[array.tolist() for array in row] for row in receives])
    assert found[0] == found[1]
    assert found[0][0][-1] == list(range(1000 * len(ranks)))


def test_more_gpus_than_there_are(dbg):
    code, _out, err = dbg("count", *PAIR, "--gpus", "99")
    assert (code, len(err.splitlines())) == (70, 2)
    assert "--gpus 99" in err
