"""Results are the same bytes for any threads, memory, order of reads, workers, GPUs, and instructions of processors."""

from __future__ import annotations

import gzip
import hashlib
import os
import random
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from debruijn_gpu.backends.core.cpu import levels
from debruijn_gpu.backends.core.detection import wanted_devices

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data"
#: Files that hold times and paths
FREE = {"dbg.log", "report.html", "run.json"}
N_MATES = 2

#: Memory limit, and constants of `Tuning` by which reads and k-mers go to temporary files
MEMORY = {
    "plenty": ("0.5", {}),
    "little": ("256M", {"reads_share": 1e-9, "super_kmers_share": 1e-9, "held_kmers_share": 1e-9}),
}
#: Threads and orders for the highest level of processors, and for lower ones
RUNS = ((1, "reversed"), (1, "shuffled"), (2, "given"), (2, "shuffled"))
FEWER = ((1, "reversed"), (2, "shuffled"))
#: Level of the kernels, and what NumPy may not use beside it
PROCESSORS = {
    "x86-64-v4": "",
    "x86-64-v3": "X86_V4 AVX512_ICL AVX512_SPR",
    "x86-64-v2": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
}
COMMANDS = (
    "assemble {paired} -k 31,51 -o assembly",
    "unitigs {single} -k 31 -o unitigs.gfa",
    "count {single} -k 41 -o counts.tsv --histogram counts.hist",
)
PROGRAM = """
from debruijn_gpu.cli import main
from debruijn_gpu.run.tuning import tuned
if __name__ == "__main__":
    with tuned(**{tuning}):
        for line in {lines}:
            try:
                main(line.split())
            except SystemExit as ended:
                assert ended.code == 0, line
"""

Pair = tuple[str, str]


def processors() -> list[str]:
    """Levels of processors that can be had here."""
    here = levels.level()
    names = list(PROCESSORS)
    return names[names.index(here) :] if here in names else [here]


def phage() -> list[Pair]:
    """The pairs of `data`."""
    mates = (gzip.decompress((DATA / f"phix174_R{mate}.fastq.gz").read_bytes()).decode() for mate in "12")
    return list(zip(*map(records, mates), strict=True))


def records(text: str) -> list[str]:
    lines = text.splitlines(keepends=True)
    return ["".join(lines[i : i + 4]) for i in range(0, len(lines), 4)]


def repeats() -> list[Pair]:
    """Pairs with errors: two alleles of a genome with a long repeat, and a rare circle."""
    rng = random.Random(7)
    letters = lambda n: "".join(rng.choices("ACGT", k=n))  # noqa: E731
    repeat = letters(400)
    genome = repeat.join(letters(6000) for _ in range(4))
    allele = "".join(rng.choice("ACGT") if rng.random() < 0.002 else base for base in genome)
    circle = letters(1500)
    return [
        pair
        for source, n in ((genome, 1500), (allele, 1500), (circle + circle[:500], 60))
        for pair in (pair_of(source, rng) for _ in range(n))
    ]


def pair_of(source: str, rng: random.Random) -> Pair:
    start = rng.randrange(len(source) - 500)
    fragment = source[start : start + round(rng.gauss(350, 20))]
    opposite = fragment[::-1].translate(str.maketrans("ACGT", "TGCA"))
    reads = ("".join(rng.choice("ACGT") if rng.random() < 0.003 else c for c in s[:120]) for s in (fragment, opposite))
    name = f"pair{rng.getrandbits(60)}"
    first, second = (f"@{name}\n{read}\n+\n{'I' * len(read)}\n" for read in reads)
    return first, second


DATA_SETS = {"phage": phage, "repeats": repeats}


@cache
def ordered(data_set: str, order: str) -> list[Pair]:
    """The pairs of a data set; if the order is not the given one, with exchanged mates too."""
    pairs = DATA_SETS[data_set]()
    if order == "reversed":
        return [(second, first) for first, second in reversed(pairs)]
    if order == "shuffled":
        rng = random.Random(5)
        pairs = [pair if rng.random() < 0.5 else pair[::-1] for pair in pairs]
        rng.shuffle(pairs)
    return pairs


def digests(
    place: Path, pairs: list[Pair], threads: int, memory: str, processor: str, more: str = "", backend: str = "cpu"
) -> dict[str, str]:
    """Run the commands in a directory, with more options; return SHA-256 of all results."""
    names = [f"reads_{mate}.fastq" for mate in range(N_MATES)]
    for mate, name in enumerate(names):
        (place / name).write_text("".join(pair[mate] for pair in pairs))
    limit, tuning = MEMORY[memory]
    inputs = {"paired": f"-1 {names[0]} -2 {names[1]}", "single": " ".join(names)}
    lines = [f"{line.format(**inputs)} -q -t {threads} -m {limit} --backend {backend}{more}" for line in COMMANDS]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "DBG_CPU_LEVEL": processor,
        "NPY_DISABLE_CPU_FEATURES": PROCESSORS.get(processor, ""),
    }
    program = [sys.executable, "-c", PROGRAM.format(tuning=tuning, lines=lines)]
    done = subprocess.run(program, cwd=place, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    return {
        str(path.relative_to(place)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(place.rglob("*"))
        if path.is_file() and path.name not in {*FREE, *names}
    }


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """A function that gives the digests of a data set with one thread, in the given order, at the highest level."""

    @cache
    def run(data_set: str) -> dict[str, str]:
        place = tmp_path_factory.mktemp(data_set)
        return digests(place, ordered(data_set, "given"), 1, "plenty", processors()[0])

    return run


@pytest.mark.parametrize("data_set", DATA_SETS)
def test_data_sets_take_the_branches_they_are_for(expected, data_set):
    found = expected(data_set)
    assert {"assembly/contigs.fasta", "assembly/params.json", "unitigs.gfa", "counts.tsv", "counts.hist"} <= set(found)
    assert len(found) >= 14
    assert expected("phage")["counts.tsv"] != expected("repeats")["counts.tsv"]


@pytest.mark.parametrize("processor", processors())
@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("data_set", DATA_SETS)
def test_results_depend_on_nothing_but_reads_and_options(tmp_path, expected, data_set, memory, processor):
    is_highest = processor == processors()[0]
    for threads, order in RUNS if is_highest else FEWER:
        place = tmp_path / f"{threads}-{order}"
        place.mkdir()
        found = digests(place, ordered(data_set, order), threads, memory, processor)
        assert found == expected(data_set), (threads, order)


@pytest.mark.parametrize("n_workers", [1, 3])
@pytest.mark.parametrize("data_set", DATA_SETS)
def test_results_do_not_depend_on_workers(tmp_path, monkeypatch, expected, data_set, n_workers):
    monkeypatch.setitem(MEMORY, "plenty", ("4G", {"range_bytes": 50_000}))
    more = f" --dask local:{n_workers}"
    assert digests(tmp_path, ordered(data_set, "shuffled"), 1, "plenty", processors()[0], more) == expected(data_set)


@pytest.mark.gpu
@pytest.mark.parametrize("n_gpus", [1, 2])
@pytest.mark.parametrize("data_set", DATA_SETS)
def test_results_do_not_depend_on_gpus(tmp_path, expected, data_set, n_gpus):
    if len(wanted_devices("all")) < n_gpus:
        pytest.skip(f"there are less than {n_gpus} GPUs")
    found = digests(tmp_path, ordered(data_set, "shuffled"), 1, "plenty", processors()[0], f" --gpus {n_gpus}", "cuda")
    assert found == expected(data_set)
