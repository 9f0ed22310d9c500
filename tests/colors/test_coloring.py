"""Coloured unitigs equal dictionaries, whatever memory, threads and block sizes are."""

from __future__ import annotations

import os
import random
from contextlib import closing

import numpy as np
import pytest

from debruijn_gpu import backends, pipeline
from debruijn_gpu.assembly.contigs import spell_unitigs
from debruijn_gpu.assembly.options import UnitigOptions
from debruijn_gpu.assembly.round_graphs import compact
from debruijn_gpu.backends.kmers.containers import JointCounts
from debruijn_gpu.colors.building import build_color_index, colored_part, index_of_parts
from debruijn_gpu.colors.options import ColorPredicate
from debruijn_gpu.colors.selection import count_kmers_of_sets, matching_sets, select_kmers
from debruijn_gpu.colors.splitting import split_by_color
from debruijn_gpu.colors.unitigs import ColoredUnitigs, color_unitigs, graph_kmers, sample_counts
from debruijn_gpu.colors.walk_colors import color_walks
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuned
from debruijn_gpu.samples.counting import count_samples
from debruijn_gpu.samples.options import SampleOptions
from debruijn_gpu.samples.sheet import Sample
from tests.helpers import kmers_of
from tests.naive import colors as naive
from tests.naive.kmers import reverse_complement

K = 15


def mutated(genome: str, share: float, rng: random.Random) -> str:
    letters = list(genome)
    for i in rng.sample(range(len(genome)), int(share * len(genome))):
        letters[i] = rng.choice([letter for letter in "ACGT" if letter != letters[i]])
    return "".join(letters)


def genomes_of(n: int, n_bp: int, seed: int, share: float = 0.01) -> list[list[str]]:
    """Genomes of one ancestor: the first with a repeat, the second reversed, the third in two contigs."""
    rng = random.Random(seed)
    ancestor = "".join(rng.choices("ACGT", k=n_bp))
    found = [[mutated(ancestor, share, rng)] for _ in range(n)]
    found[0][0] += found[0][0][: n_bp // 10]
    if n > 1:
        found[1] = [reverse_complement(found[1][0])]
    if n > 2:
        found[2] = [found[2][0][: n_bp // 2] + "NN", found[2][0][n_bp // 2 :]]
    return found


def samples_of(genomes: list[list[str]], directory) -> list[Sample]:
    found = []
    for i, sequences in enumerate(genomes):
        path = directory / f"s{i}.fa"
        path.write_text("".join(f">c{j}\n{sequence}\n" for j, sequence in enumerate(sequences)))
        found.append(Sample(f"s{i}", (str(path),)))
    return found


def index_of(samples, k, run):
    backend = backends.load_arrays(run, "reads", 0)
    with closing(count_samples(samples, SampleOptions(k=k), run, backend)) as counted:
        return build_color_index(counted.sets, counted.names, run, backend), backend


def unitigs_of(index, run, backend) -> ColoredUnitigs:
    """Colour unitigs by looking their k-mers up, and along their walks: with the same result."""
    graph = compact(graph_kmers(index, run, backend), run, backend, keeps_walks=True)
    spelled = spell_unitigs(graph, backend)
    looked_up = color_unitigs(spelled.contigs, index, run, backend)
    if graph.walks is not None:
        for at_once in (1 << 20, 5):
            with tuned(colored_kmers=at_once):
                walked = color_walks(spelled, graph.walks, index, run, backend)
            for name in ("run_ptr", "run_colors", "run_lengths"):
                one, other = getattr(walked, name), getattr(looked_up, name)
                assert one.dtype == other.dtype
                assert one.tolist() == other.tolist()
    return looked_up


def runs_of(unitigs: ColoredUnitigs, sets, i: int) -> list[tuple[tuple[int, ...], int]]:
    chosen = slice(unitigs.run_ptr[i], unitigs.run_ptr[i + 1])
    colors, lengths = unitigs.run_colors[chosen].tolist(), unitigs.run_lengths[chosen].tolist()
    return [(tuple(sets.members(color).tolist()), n) for color, n in zip(colors, lengths, strict=True)]


def check_index(index, colored) -> None:
    numbers = naive.number_sets(colored)
    assert kmers_of(index.kmers, index.k) == sorted(colored)
    assert index.color_ids.tolist() == [numbers[colored[kmer]] for kmer in sorted(colored)]
    assert [tuple(index.color_sets.members(i).tolist()) for i in range(len(numbers))] == list(numbers)
    held = [sum(i in one for one in colored.values()) for i in range(len(index.names))]
    assert index.n_kmers_of_sample.tolist() == held
    of_set = count_kmers_of_sets(index).tolist()
    assert of_set == [list(colored.values()).count(one) for one in numbers]


def check_unitigs(unitigs: ColoredUnitigs, index, colored) -> None:
    """Each k-mer is in one unitig, and the runs are those of its k-mers."""
    seen = []
    for i in range(len(unitigs)):
        sequence = unitigs.contigs.sequence(i).decode()
        assert runs_of(unitigs, index.color_sets, i) == naive.runs(sequence, index.k, colored)
        seen += [min(kmer, reverse_complement(kmer)) for kmer in _kmers(sequence, index.k)]
    assert sorted(seen) == sorted(colored)


def _kmers(sequence: str, k: int) -> list[str]:
    return [sequence[i : i + k] for i in range(len(sequence) - k + 1)]


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("k", [3, K, 31, 33])
def test_colours_equal_dictionaries(tmp_path, n, k):
    run, genomes = RunOptions(backend="cpu"), genomes_of(n, 600, seed=n)
    index, backend = index_of(samples_of(genomes, tmp_path), k, run)
    with closing(index):
        colored = naive.colors(genomes, k)
        check_index(index, colored)
        unitigs = unitigs_of(index, run, backend)
        check_unitigs(unitigs, index, colored)
        split = split_by_color(unitigs, index.color_sets, backend)
        check_unitigs(split, index, colored)
        assert np.array_equal(np.diff(split.run_ptr), np.ones(len(split)))
        assert len(split) == len(unitigs.run_colors) - n_wrapped(unitigs)
        for first, counts in sample_counts(unitigs, index, most_cells=7):
            for i, row in enumerate(counts.tolist(), first):
                assert row == [sum(n for one, n in runs_of(unitigs, index.color_sets, i) if s in one) for s in range(n)]


def n_wrapped(unitigs: ColoredUnitigs) -> int:
    """Circular unitigs whose last run continues in the first one."""
    first, last = unitigs.run_ptr[:-1], unitigs.run_ptr[1:] - 1
    same = unitigs.run_colors[first] == unitigs.run_colors[last]
    return int(np.count_nonzero(unitigs.contigs.circular & same & (last > first)))


def test_unitigs_are_those_of_the_union(tmp_path):
    run, genomes = RunOptions(backend="cpu"), genomes_of(4, 2000, seed=9)
    samples = samples_of(genomes, tmp_path)
    index, backend = index_of(samples, K, run)
    with closing(index):
        found = unitigs_of(index, run, backend).contigs
    inputs = ReadInputs(single=tuple(path for sample in samples for path in sample.files))
    plain = pipeline.unitigs(inputs, UnitigOptions(k=K, min_count=1, clean=None), run)
    assert found.text.tobytes() == plain.text.tobytes()
    assert found.links.tolist() == plain.links.tolist()
    assert found.circular.tolist() == plain.circular.tolist()


def test_results_are_independent_of_block_sizes_threads_and_memory(tmp_path):
    genomes = genomes_of(4, 1500, seed=4)
    samples = samples_of(genomes, tmp_path)
    results = []
    for threads, changes in (
        (1, {}),
        (2, {"range_kmers": 1, "waiting_colors": 1, "looked_up_kmers": 100}),
        (2, {"range_kmers": 1, "waiting_colors": 50, "partitions_share": 0.0, "partitions": 3, "looked_up_kmers": 999}),
    ):
        run = RunOptions(backend="cpu", threads=threads, tmp_dir=tmp_path)
        with tuned(**changes):
            index, backend = index_of(samples, K, run)
            with closing(index):
                check_index(index, naive.colors(genomes, K))
                unitigs = unitigs_of(index, run, backend)
                split = split_by_color(unitigs, index.color_sets, backend)
        arrays = (unitigs.contigs.text, unitigs.run_ptr, unitigs.run_colors, split.contigs.text, split.contigs.links)
        results.append([array.tolist() for array in (*arrays, split.run_colors)])
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("shift", range(0, 40, 7))
def test_circular_unitigs_are_opened_where_colours_change(tmp_path, shift):
    rng = random.Random(shift)
    circle = "".join(rng.choices("ACGT", k=60))
    turned = circle[shift:] + circle[:shift]
    genomes = [[turned + turned[: K - 1]], [circle[10:45]]]
    run = RunOptions(backend="cpu")
    index, backend = index_of(samples_of(genomes, tmp_path), K, run)
    with closing(index):
        unitigs = unitigs_of(index, run, backend)
        assert unitigs.contigs.circular.tolist() == [True]
        split = split_by_color(unitigs, index.color_sets, backend)
        check_unitigs(split, index, naive.colors(genomes, K))
        assert sorted(split.contigs.n_kmers.tolist()) == [21, 39]
        assert split.contigs.circular.tolist() == [False, False]
        assert len(split.contigs.links) == 2
        whole = matching_sets(index.color_sets, index.names, ColorPredicate(any_of=("s0",)))
        alone = select_kmers(index, whole, renumber=True)
        assert len(alone) == 60


def test_a_circular_unitig_of_one_colour_stays_circular(tmp_path):
    circle = "".join(random.Random(3).choices("ACGT", k=60))
    run = RunOptions(backend="cpu")
    index, backend = index_of(samples_of([[circle + circle[: K - 1]]], tmp_path), K, run)
    with closing(index):
        unitigs = unitigs_of(index, run, backend)
        split = split_by_color(unitigs, index.color_sets, backend)
    assert split.contigs.circular.tolist() == [True]
    assert split.contigs.text.tobytes() == unitigs.contigs.text.tobytes()
    assert split.contigs.links.tolist() == unitigs.contigs.links.tolist()


def test_cycles_and_paths_together_have_their_colours(tmp_path):
    rng, genomes = random.Random(99), genomes_of(3, 300, seed=8)
    for n in (20, 30, 55):
        circle = "".join(rng.choices("ACGT", k=n))
        genomes[0].append(circle + circle[: K - 1])
        genomes[1].append(circle[: n // 4 + K])
    run = RunOptions(backend="cpu")
    index, backend = index_of(samples_of(genomes, tmp_path), K, run)
    with closing(index):
        unitigs = unitigs_of(index, run, backend)
        assert sorted(unitigs.contigs.n_kmers[unitigs.contigs.circular].tolist()) == [20, 30, 55]
        assert not unitigs.contigs.circular.all()
        check_unitigs(unitigs, index, naive.colors(genomes, K))


@pytest.mark.parametrize("renumber", [True, False])
@pytest.mark.parametrize(
    ("given", "holds"),
    [
        ({"any_of": ("s0", "s2")}, lambda one: 0 in one or 2 in one),
        ({"all_of": ("s0,s1",)}, lambda one: {0, 1} <= set(one)),
        ({"none_of": ("s3",)}, lambda one: 3 not in one),
        ({"any_of": ("s0",), "none_of": ("s1", "s1,s2")}, lambda one: 0 in one and not {1, 2} & set(one)),
        ({"min_samples": 2, "max_samples": 3}, lambda one: 2 <= len(one) <= 3),
        ({"all_of": ("s0",), "none_of": ("s0",)}, lambda one: False),
    ],
)
def test_selected_kmers_equal_a_filter(tmp_path, given, holds, renumber):
    run, genomes = RunOptions(backend="cpu"), genomes_of(4, 800, seed=6, share=0.03)
    index, backend = index_of(samples_of(genomes, tmp_path), K, run)
    with closing(index):
        is_kept = matching_sets(index.color_sets, index.names, ColorPredicate(**given))
        selected = select_kmers(index, is_kept, renumber)
        colored = {kmer: one for kmer, one in naive.colors(genomes, K).items() if holds(one)}
        assert len(selected) == len(colored)
        if renumber:
            check_index(selected, colored)
        check_unitigs(unitigs_of(selected, run, backend), selected, colored)


def test_unknown_samples_are_refused(tmp_path):
    index, _ = index_of(samples_of(genomes_of(2, 100, seed=1), tmp_path), K, RunOptions(backend="cpu"))
    with closing(index), pytest.raises(ParameterError, match="no sample 's7'"):
        matching_sets(index.color_sets, index.names, ColorPredicate(any_of=("s1,s7",)))


@pytest.mark.cuda
@pytest.mark.parametrize("waiting", [1, 5, 1000])
def test_colour_sets_are_numbered_across_ranges(backend, waiting):
    rng = random.Random(waiting)
    rows = [sorted(rng.sample(range(4), rng.randint(1, 3))) for _ in range(40)]
    parts = []
    for start, stop in ((0, 0), (0, 9), (9, 10), (10, 31), (31, 40)):
        own = rows[start:stop]
        row_ptr = np.cumsum([0, *map(len, own)], dtype=np.int64)
        members = np.array([s for row in own for s in row], np.uint32)
        codes = np.arange(start, stop, dtype=np.uint64).reshape(1, -1)
        joint = JointCounts(codes, row_ptr, members, np.empty(0, np.uint32)).moved(backend.to_device)
        parts.append(colored_part(joint, backend))
    with tuned(waiting_colors=waiting):
        sizes = np.zeros(4, np.int64)
        index = index_of_parts(parts, 9, True, tuple("abcd"), sizes, RunOptions(threads=1), backend)
    with closing(index):
        numbers: dict[tuple[int, ...], int] = {}
        expected = [numbers.setdefault(tuple(row), len(numbers)) for row in rows]
        assert index.color_ids.tolist() == expected
        assert [tuple(index.color_sets.members(i).tolist()) for i in range(len(index.color_sets))] == list(numbers)


@pytest.mark.slow
def test_ten_genomes_of_a_million_bases_equal_dictionaries(tmp_path):
    """Of fewer bases in continuous integration."""
    run, genomes = RunOptions(), genomes_of(10, int(os.environ.get("DBG_COLORED_BASES", "1000000")), seed=10)
    samples = samples_of(genomes, tmp_path)
    index, backend = index_of(samples, 31, run)
    with closing(index):
        colored = naive.colors(genomes, 31)
        unitigs = unitigs_of(index, run, backend)
        check_unitigs(unitigs, index, colored)
        split = split_by_color(unitigs, index.color_sets, backend)
        check_unitigs(split, index, colored)
    inputs = ReadInputs(single=tuple(path for sample in samples for path in sample.files))
    plain = pipeline.unitigs(inputs, UnitigOptions(k=31, min_count=1, clean=None), run)
    assert unitigs.contigs.text.tobytes() == plain.text.tobytes()
    assert unitigs.contigs.links.tolist() == plain.links.tolist()
