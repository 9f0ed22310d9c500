"""Commands on graphs write the same bytes on both backends."""

from __future__ import annotations

import random

import pytest

from debruijn_gpu.cli import main

pytestmark = pytest.mark.gpu

GRAPHS = {
    "eulerian": ["eulerian", "-n", "300k"],
    "cactus": ["cactus", "-n", "300k"],
    "path": ["eulerian", "-n", "1000", "--path"],
    "random": ["random", "-n", "300k"],
    "de Bruijn": ["debruijn", "--alphabet", "10", "-n", "5"],
}
COMMANDS = {
    "circuits": ["euler", "--verify"],
    "paths": ["euler", "--path", "--verify", "--format", "npz"],
    "trails": ["euler", "--trails", "--verify", "--format", "npz"],
    "undirected trails": ["euler", "--undirected", "--trails", "--format", "npy"],
    "summary": ["graph", "--tsv"],
    "weak components": ["graph", "--components", "weak"],
    "strong components": ["graph", "--components", "strong"],
    "ranks": ["graph", "--pagerank"],
}
#: what is asked of graphs that cannot give it
ERRORS = {("path", "circuits"), ("random", "circuits"), ("random", "paths")}


def run(arguments, output, backend, code=0):
    """What a command writes."""
    with pytest.raises(SystemExit) as caught:
        main([*map(str, arguments), "--backend", backend, "-o", str(output), "-q"])
    assert caught.value.code == code
    return b"" if code else output.read_bytes()


@pytest.mark.parametrize("name", GRAPHS)
def test_generate(name, tmp_path):
    arguments = ["generate", *GRAPHS[name], "--format", "csr"]
    assert run(arguments, tmp_path / "cuda", "cuda") == run(arguments, tmp_path / "cpu", "cpu")


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_same_bytes(graph, command, tmp_path):
    source = tmp_path / "graph.npz"
    run(["generate", *GRAPHS[graph], "--format", "npz"], source, "cpu")
    arguments, code = [*COMMANDS[command], source], 69 * ((graph, command) in ERRORS)
    cuda, cpu = (run(arguments, tmp_path / backend, backend, code) for backend in ("cuda", "cpu"))
    assert cuda == cpu
    assert cuda or code


def test_eulertigs(tmp_path):
    """Of reads of a random genome with errors."""
    genome, reads = tmp_path / "genome.fa", tmp_path / "reads.fastq.gz"
    genome.write_text(">genome\n" + "".join(random.Random(1).choices("ACGT", k=20_000)) + "\n")
    with pytest.raises(SystemExit):
        main(["simulate", str(genome), "--depth", "20", "-o", str(tmp_path / "reads"), "-q"])
    arguments = ["unitigs", "-k", 21, "--min-count", 1, "--no-clean", "--tigs", "eulertigs", reads]
    assert run(arguments, tmp_path / "cuda", "cuda") == run(arguments, tmp_path / "cpu", "cpu")
