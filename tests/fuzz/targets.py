"""Parsers, called as commands call them: each target reads one file, and returns what it has read.

What is returned is compared with what other block sizes and Biopython give (`judges`), where a target has such twins.
"""

from __future__ import annotations

import functools
import io
import os
import random
import shutil
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.assembly_dir.quality_reports import read_quast
from debruijn_gpu.assembly_dir.reading import read_file
from debruijn_gpu.colors.selection import select_kmers
from debruijn_gpu.graph.options import GraphInputOptions
from debruijn_gpu.io.alignments.depths import read_depth_table
from debruijn_gpu.io.alignments.targets import read_target
from debruijn_gpu.io.color_index.reading import read_color_index
from debruijn_gpu.io.fastx.fasta import read_parts
from debruijn_gpu.io.fastx.genes import read_genes
from debruijn_gpu.io.fastx.reads import read_texts
from debruijn_gpu.io.gfa.contigs import read_gfa_contigs
from debruijn_gpu.io.graphs.files import read_graph, write_graph
from debruijn_gpu.io.kmer_sets.files import open_set
from debruijn_gpu.io.numbers.files import read_columns, write_columns
from debruijn_gpu.io.peptides.peptides import read_peptides, read_residue_table
from debruijn_gpu.io.peptides.spectra import read_spectra
from debruijn_gpu.io.symbols.reading import letters_of, open_symbols
from debruijn_gpu.io.symbols.word_lists import read_words
from debruijn_gpu.peptides.residues import residue_masses
from debruijn_gpu.primitives.options import TableOptions
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reports.making import make_report
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.samples.sheet import read_sample_sheet
from debruijn_gpu.sequences.symbols import Symbols
from tests.fuzz import mutators, screens, seeds
from tests.fuzz.commands import COMMANDS, arguments, check_command, run_command
from tests.fuzz.judges import judged_reads, same_in_blocks

#: Memory that commands may use: far more than a file of `mutators.MOST_BYTES` needs, far less than a bomb inflates to
MEMORY = "256M"
ALLOWED_BYTES = 1 << 26
RUN = RunOptions(threads=1, memory=MEMORY, backend="cpu")


@dataclass(frozen=True)
class Target:
    """A parser.

    Attributes
    ----------
    seeds : callable
        Gives sound files.
    read : callable
        Reads a path; the generator of random numbers chooses options.
    own : tuple of Mutator
        Mutators of its format.
    weight : int
        Share of the cases; small where a case takes long.
    packs : bool
        Whether the file may be compressed.
    """

    seeds: Callable[[], list[bytes]]
    read: Callable[[Path, random.Random], Any]
    own: tuple[mutators.Mutator, ...] = mutators.TEXT
    weight: int = 10
    packs: bool = True


@functools.cache
def host():
    """The backend of the CPU."""
    return backends.load(RUN)


# Reads and sequences

_BLOCK_BYTES = (200, 900, 4000)


def _reads(path: Path, rng: random.Random):
    def read(block_bytes):
        inputs = ReadInputs(single=(str(path),))
        with closing(read_texts(inputs, host(), block_bytes, 1, MEMORY)) as texts:
            return [(reads.name(i), _letters(reads.parsed, i)) for reads, _ in texts for i in range(reads.n_reads)]

    found = same_in_blocks(path, read, rng.choice(_BLOCK_BYTES), 1 << 16)
    judged_reads(path, found)
    return found


def _letters(parsed, i) -> str:
    start, stop = int(parsed.offsets[i]), int(parsed.offsets[i + 1])
    places = np.arange(start, stop)
    codes = (parsed.bases[places >> 5] >> (62 - 2 * (places & 31)).astype(np.uint64)).astype(np.int64) & 3
    letters = np.frombuffer(b"ACGT", np.uint8)[codes]
    odd = parsed.ambiguous_positions
    letters[odd[(odd >= start) & (odd < stop)] - start] = ord("N")
    return letters.tobytes().decode()


def _split_reads(path: Path, rng: random.Random):
    """Reads as counting takes them, whose long records are split."""
    inputs = ReadInputs(single=(str(path),))
    with closing(read_texts(inputs, host(), rng.choice((300, 1500)), 1, MEMORY, whole=False)) as texts:
        return sum(reads.n_reads for reads, _ in texts)


def _paired(path: Path, rng: random.Random):
    mate = path.with_name("mate")
    mate.write_bytes(rng.choice(seeds.fastq()).replace(b" 1:", b" 2:"))
    pairs = {"first": (str(path),), "second": (str(mate),)}
    inputs = ReadInputs(**pairs) if rng.random() < 0.7 else ReadInputs(interleaved=(str(path),))
    with closing(read_texts(inputs, host(), rng.choice((400, 1 << 16)), 1, MEMORY)) as texts:
        return sum(reads.n_reads for reads, _ in texts)


def _parts(path: Path, _rng: random.Random):
    with closing(read_parts(str(path))) as parts:
        return [(part.name, part.letters) for part in parts]


def _bcalm(path: Path, rng: random.Random):
    return _parts(path, rng), read_file(str(path)).contigs.stats()


def _genes(path: Path, _rng: random.Random):
    return read_genes(str(path))


def _map_target(path: Path, _rng: random.Random):
    return read_target(str(path))


def _contigs(path: Path, _rng: random.Random):
    return read_file(str(path)).contigs.stats()


def _gfa_contigs(path: Path, rng: random.Random):
    return read_gfa_contigs(str(path), rng.random() < 0.5).contigs.kmer_depth


# Graphs and numbers


def _graph(path: Path, rng: random.Random):
    options = GraphInputOptions(
        n_vertices=rng.choice((None, None, None, 8)), undirected=rng.random() < 0.2, reverse=rng.random() < 0.2
    )
    graph = read_graph(str(path), options, RUN, host(), rng.choice((*_BLOCK_BYTES, 1 << 20)))
    assert int(graph.row_ptr[-1]) == graph.n_edges
    assert graph.n_edges == 0 or int(graph.col.max()) < graph.n_vertices
    kinds = ("text", "tsv", "csv", "npy", "npz", "csr", "coo", "gfa")
    write_graph(io.BytesIO(), graph, rng.choice(kinds), host())
    return graph.n_vertices, graph.n_edges


def _columns(path: Path, rng: random.Random, dtype: str | None = None):
    options = TableOptions(dtype=dtype, n_columns=rng.choice((1, 3)) if dtype else 1)
    as_read = rng.random() < 0.5

    def read(block_bytes):
        columns = read_columns(str(path), options, host(), 1, ALLOWED_BYTES, block_bytes, as_read)
        return [array.tobytes() for array in columns.arrays], columns

    _, columns = same_in_blocks(path, read, rng.choice(_BLOCK_BYTES), 1 << 20, compare=0)
    to = rng.choice((None, "text", "csv", "npy", "raw"))
    write_columns(io.BytesIO(), columns, TableOptions(dtype=dtype, n_columns=options.n_columns, to=to), host())
    return len(columns)


def _raw_columns(path: Path, rng: random.Random):
    return _columns(path, rng, rng.choice(("u32", "i64", "f64")))


# Symbols, spectra and peptides


def _symbols(path: Path, rng: random.Random):
    letters_of(str(path)) if rng.random() < 0.3 else None
    alphabet = rng.choice((("0", "1"), tuple("ACGT"), ("red", "green"), ("α", "β"), (">", "x")))
    formats = ["text", "bytes"] + (["bits"] if len(alphabet) == 2 else ["2bit"])
    symbols = Symbols(alphabet)
    return sum(len(codes) for codes in open_symbols(str(path), symbols, rng.choice(formats), 1 << 20).codes())


def _words(path: Path, rng: random.Random):
    symbols = rng.choice((None, None, Symbols(("0", "1")), Symbols(("red", "green"))))
    return read_words(str(path), symbols, ALLOWED_BYTES).codes.shape


def _spectra(path: Path, _rng: random.Random):
    with closing(read_spectra(str(path))) as spectra:
        return [len(each.spectrum) for each in spectra]


def _peptides(path: Path, _rng: random.Random):
    return [str(each) for each in read_peptides(str(path), residue_masses())]


def _residues(path: Path, _rng: random.Random):
    return residue_masses("monoisotopic", read_residue_table(str(path))).decimals


# Directories of assemblies, and tables of other programs


_COMPLEMENT = str.maketrans("ACGT", "TGCA")


@functools.cache
def assembly() -> dict[str, bytes]:
    """Files of an assembly of a part of phiX174, by name."""
    text = seeds.genome()[:1500]
    pairs = [(text[i : i + 80], text[i + 120 : i + 200][::-1].translate(_COMPLEMENT)) for i in range(0, 1300, 4)]
    with tempfile.TemporaryDirectory(prefix="dbg-fuzz-") as name:
        reads, directory = Path(name) / "reads.fa", Path(name) / "assembly"
        reads.write_text("".join(f">{i}\n{mate}\n" for i, pair in enumerate(pairs) for mate in pair))
        done = run_command("assemble", "--12", reads, "-k", 31, "--keep-variants", "-o", directory, "-t", 1, "-q")
        assert done.code == 0, done.errors
        return {path.name: path.read_bytes() for path in sorted(directory.iterdir()) if path.name != "report.html"}


_DIRECTORY_FILES = (*("report.json", "run.json") * 3, "params.json", "spectrum.hist", "contigs.tsv", "contigs.fasta")


def _assembly_files() -> list[bytes]:
    """A file of the directory with its name before it, up to the first newline."""
    return [assembly()[name] for name in dict.fromkeys(_DIRECTORY_FILES)]


def _assembly(path: Path, rng: random.Random):
    directory = path.with_name("assembly")
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    for name, content in assembly().items():
        if rng.random() < 0.95:
            directory.joinpath(name).write_bytes(content)
    directory.joinpath(_name_of(path.read_bytes(), rng)).write_bytes(path.read_bytes())
    return len(make_report(str(directory)))


def _name_of(content: bytes, rng: random.Random) -> str:
    """The file of the directory that a content replaces: the one that begins like it, or any."""
    begins = {
        b"name\t": "contigs.tsv",
        b">": "contigs.fasta",
        b"{": rng.choice(("report.json", "run.json", "params.json")),
    }
    for name, sound in assembly().items():
        if content[:40] == sound[:40] and len(content) > 40:
            return name
    return next((name for start, name in begins.items() if content.startswith(start)), rng.choice(_DIRECTORY_FILES))


def _quast(path: Path, _rng: random.Random):
    return read_quast(str(path)).columns


#: Parsers by name
def _sample_sheet(path: Path, _rng: random.Random):
    """Samples of a sheet: with different names, files that exist, and minimum counts of at least 1."""
    found = read_sample_sheet(str(path), str(seeds.DATA))
    assert len({sample.name for sample in found}) == len(found) > 0
    for sample in found:
        assert sample.name.isprintable()
        assert sample.files
        assert all(os.path.exists(file) for file in sample.files)
        assert sample.min_count is None or 1 <= sample.min_count < 1 << 32
    return [(sample.name, sample.files, sample.min_count) for sample in found]


def _kmer_set(path: Path, rng: random.Random):
    """A set in any format, whole and by ranges."""
    opened = open_set(str(path), RUN, rng.random() < 0.5).kmers
    with closing(opened):
        opened.check()
        top = 1 << (2 * opened.k)
        middle = rng.randrange(top)
        whole, parts = opened.read(0, top), [opened.read(0, middle), opened.read(middle, top)]
        assert len(whole[1]) == len(opened)
        assert np.array_equal(whole[0], np.concatenate([codes for codes, _ in parts], axis=1))
        return whole[0].tolist(), whole[1].tolist()


def _color_index(path: Path, _rng: random.Random):
    """An index: its k-mers, their colour sets, and samples; and the condition that all samples hold a k-mer."""
    index = read_color_index(str(path))
    with closing(index):
        index.colored.check()
        sets = index.color_sets
        assert int(index.color_ids.max(initial=0)) < max(1, len(sets))
        selected = select_kmers(index, sets.count_members(range(len(index.names))) == len(index.names), renumber=True)
        assert len(selected) == sum(len(marks) for _, marks in selected.parts())
        return index.kmers.tolist(), index.color_ids.tolist(), sets.row_ptr.tolist(), sets.samples.tolist()


def _depths(path: Path, rng: random.Random):
    """Depths of two contigs; the table need not have the first one."""
    return read_depth_table(str(path), ("c0", "c1"), np.array([rng.random() < 0.5, True])).tolist()


def _kmc_database(path: Path, rng: random.Random):
    """Read a database, one file is mutated and the other one sound."""
    content = path.read_bytes()
    sound = dict(zip((".kmc_pre", ".kmc_suf"), seeds.kmc(), strict=True))
    sound[".kmc_suf" if content[:4] == b"KMCS" else ".kmc_pre"] = content
    for ending, data in sound.items():
        path.with_name("database" + ending).write_bytes(data)
    opened = open_set(str(path.with_name("database")), RUN).kmers
    codes, counts = opened.read(0, 1 << (2 * opened.k))
    return codes.tolist(), counts.tolist()


PARSERS: dict[str, Target] = {
    "fasta": Target(seeds.fasta, _reads, weight=20),
    "fastq": Target(seeds.fastq, _reads, weight=20),
    "lines": Target(seeds.lines, _reads),
    "split": Target(lambda: seeds.fasta() + seeds.lines() + seeds.fastq(), _split_reads),
    "paired": Target(seeds.fastq, _paired),
    "parts": Target(lambda: seeds.fasta() + seeds.lines() + seeds.gfa(), _parts, weight=15),
    "bcalm": Target(seeds.bcalm, _bcalm),
    "genes": Target(seeds.fasta, _genes, weight=5),
    "map-target": Target(lambda: seeds.gfa() + seeds.fasta(), _map_target),
    "screen": Target(lambda: seeds.fastq() + seeds.fasta() + seeds.lines(), screens.screened, weight=15),
    "screen-index": Target(screens.indexes, screens.index, mutators.NPZ, weight=5, packs=False),
    "contigs": Target(lambda: seeds.fasta() + seeds.gfa() + seeds.bcalm(), _contigs),
    "gfa-contigs": Target(seeds.gfa, _gfa_contigs, weight=15),
    "gfa-graph": Target(seeds.gfa, _graph, weight=15),
    "adjacency": Target(seeds.adjacency, _graph, weight=15),
    "edges": Target(seeds.edges, _graph, weight=15),
    "npy-graph": Target(seeds.npy, _graph, mutators.NPY),
    "npz-graph": Target(seeds.npz, _graph, mutators.NPZ, weight=15),
    "numbers": Target(seeds.numbers, _columns, weight=20),
    "npy-numbers": Target(seeds.npy, _columns, mutators.NPY),
    "raw-numbers": Target(seeds.raw, _raw_columns, (), weight=4),
    "symbols": Target(seeds.symbols, _symbols),
    "words": Target(seeds.words, _words),
    "masses": Target(seeds.masses, _spectra, weight=15),
    "mgf": Target(seeds.mgf, _spectra, weight=15),
    "mzml": Target(seeds.mzml, _spectra, mutators.XML, weight=8),
    "peptides": Target(seeds.peptides, _peptides),
    "residues": Target(seeds.residues, _residues, weight=5),
    "assembly": Target(_assembly_files, _assembly, mutators.TEXT + mutators.JSON * 3, weight=3, packs=False),
    "dbgk": Target(seeds.dbgk, _kmer_set, (*mutators.TEXT, *([mutators.resealed_set] * 6)), weight=15),
    "dbgc": Target(seeds.dbgc, _color_index, (*mutators.TEXT, *([mutators.resealed_set] * 6)), weight=15),
    "depths": Target(seeds.depths, _depths),
    "kff": Target(seeds.kff, _kmer_set, weight=15),
    "kmer-text": Target(seeds.kmer_text, _kmer_set),
    "kmc": Target(seeds.kmc, _kmc_database, packs=False),
    "sample-sheet": Target(seeds.sample_sheets, _sample_sheet, weight=10),
    "quast": Target(seeds.quast, _quast, weight=5),
}


def _command(name: str, path: Path, _rng: random.Random) -> None:
    """Run a whole command, in this process."""
    check_command(run_command(*arguments(name, path)))


#: Whole commands; each takes as long as ten other cases
COMMAND_TARGETS = {
    f"dbg-{name}": Target(sound, functools.partial(_command, name), weight=1) for name, (_, sound) in COMMANDS.items()
}
TARGETS = PARSERS | COMMAND_TARGETS
