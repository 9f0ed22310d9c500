"""Commands that together use the kernels that users need compiled, on inputs that they make from the package's data.

Each is run in one directory, in this order; ``data`` is a link there.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core import manifest
from tests.cli.forty_commands import COMMANDS, TEXTS

READS = "-1 data/phix174_R1.fastq.gz -2 data/phix174_R2.fastq.gz"
LONG_READS = "-1 long_R1.fastq -2 long_R2.fastq"
#: One k for each number of words that a k-mer can have
K_OF_WORDS = (31, 63, 95, 127, 159, 191, 223, 249)
assert [words_per_kmer(k) for k in K_OF_WORDS] == list(range(1, 9))

_GENOME = 60_000
_LARGE_GENOME = 1_300_000  # its k-mer graph exceeds `_LITTLE_MEMORY`
_LITTLE_MEMORY = "256M"
# From, to, length
_REPEATS = ((1000, 9000, 400), (20000, 31000, 900), (40000, 50000, 150))
_LARGE_REPEATS = ((0, 600_000, 700), (20_000, 700_000, 700), (40_000, 800_000, 700))
_MANY = 1_000_000


def write_inputs(directory: Path) -> None:
    """Write what the commands read and no command writes."""
    for name, text in TEXTS.items():
        (directory / name).write_text(text)
    generator = random.Random(17)
    genome = generator.choices("ACGT", k=_GENOME)
    _plant(genome, _REPEATS)
    other = [base if generator.random() > 0.01 else generator.choice("ACGT") for base in genome]
    (directory / "genome.fa").write_text(f">genome\n{''.join(genome)}\n")
    thin = "".join(generator.choices("ACGT", k=_GENOME))
    (directory / "thin.fa").write_text(f">thin\n{thin}\n")
    (directory / "diploid.fa").write_text(f">one\n{''.join(genome)}\n>two\n{''.join(other)}\n")
    large = np.random.default_rng(18).integers(0, 4, _LARGE_GENOME, np.uint8)
    _plant(large, _LARGE_REPEATS)
    (directory / "large.fa").write_bytes(b">large\n" + np.frombuffer(b"ACGT", np.uint8)[large].tobytes() + b"\n")
    samples = {"one": "long_R1.fastq", "two": "long_R2.fastq", "three": "genome.fa"}
    (directory / "samples.tsv").write_text("".join(f"{name}\t{file}\n" for name, file in samples.items()))
    words = np.random.default_rng(17).integers(0, 1 << 63, _MANY, np.uint64)
    for dtype in ("i4", "i8", "u4", "u8", "f4", "f8"):
        values = (words >> np.uint64(33)).astype(dtype) if dtype[1] == "4" else words.astype(dtype)
        np.save(directory / f"many_{dtype}.npy", values)
        np.save(directory / f"few_{dtype}.npy", values[:_MANY] % np.array(100, dtype))
    columns = "\n".join(f"{i * 7919 % 1009}\t{(i * 104729 % 65537) / 8}" for i in range(_MANY // 4))
    (directory / "many.txt").write_text(columns + "\n")
    (directory / "words.tsv").write_text("".join(f"name{word}\t{word}\n" for word in words[: _MANY // 4]))
    (directory / "integers.txt").write_text("\n".join(map(str, words[: _MANY // 4])) + "\n")


def _plant(genome: Any, repeats: Iterable[tuple[int, int, int]]) -> None:
    """Copy parts of a list or an array of bases to other places there."""
    for start, to, length in repeats:
        genome[to : to + length] = genome[start : start + length]


def commands() -> list[str]:
    """Command lines without ``dbg``; ``> file`` at the end takes standard output."""
    return [*_forty(), *_reads(), *_partitions(), *_numbers(), *_graphs(), *_others()]


def scenario_of(arguments: list[str]) -> str:
    """The scenario of a command line: that of assemblies in partitions is its own, which no command begins with."""
    small = arguments[0] == "assemble" and _LITTLE_MEMORY in arguments
    return "assemble partitions" if small else manifest.scenario_of(arguments)


def _partitions() -> list[str]:
    """Assemblies whose graph of k-mers does not fit into memory."""
    reads = "-1 large_R1.fastq -2 large_R2.fastq -k 21,43,67,91,127"
    return [
        "simulate large.fa --paired --depth 20 -o large.fastq",
        *(f"assemble {reads} -m {_LITTLE_MEMORY} -o {name}" for name in ("large", "large-single --no-pairs")),
    ]


def _forty() -> list[str]:
    return [f"{arguments.replace('{out}', name)} > {name}.out" for name, arguments in COMMANDS.items()]


def _reads() -> list[str]:
    """Commands that take reads, with k-mers of any number of words, several k, one or two genomes."""
    found = [
        "simulate genome.fa --paired --length 300 --insert 700 --depth 40 --seed 1 -o long.fastq",
        "simulate genome.fa --paired --length 150 --insert 400 --depth 60 --seed 2 -o short.fastq",
        "simulate diploid.fa --paired --length 150 --insert 400 --depth 30 --seed 3 -o diploid.fastq",
        "simulate genome.fa --paired --length 100 --insert 3000 --depth 10 --seed 4 -o mates.fastq",
    ]
    found += ["simulate thin.fa --paired --length 150 --insert 400 --depth 4 --seed 7 -o thin.fastq"]
    found += ["simulate data/phix174_J02482.fa --circular --length 300 --depth 400 --seed 6 -o deep.fastq"]
    short = "-1 short_R1.fastq -2 short_R2.fastq"
    mixed = f"{short} -1 thin_R1.fastq -2 thin_R2.fastq"
    for reads, out in ((READS, "phix"), (short, "short"), (LONG_READS, "long")):
        found += [f"assemble {reads} -o {out}", f"assemble {reads} --no-pairs -o {out}-single"]
        found += [f"assemble {reads.replace('-1 ', '').replace('-2 ', '')} -o {out}-files --keep-variants"]
    found += [
        "assemble -1 diploid_R1.fastq -2 diploid_R2.fastq --keep-variants -o diploid",
        f"assemble {short} -1 mates_R1.fastq -2 mates_R2.fastq -o mates",
        "assemble -1 diploid_R1.fastq -2 diploid_R2.fastq --preset meta -o meta",
        f"assemble {mixed} -o mixed",
        f"assemble {mixed} --no-pairs -o mixed-single",
        f"assemble {short} --trim off --max-depth 0 --rotate data/phix174_J02482.fa -o plain",
    ]
    for k in K_OF_WORDS:
        found += [f"assemble -k {k} {LONG_READS} -o k{k}", f"assemble -k {k} --no-pairs {LONG_READS} -o k{k}-single"]
        found += [f"assemble -k {k} deep.fastq -o k{k}-deep", f"assemble -k 21,{k} --no-pairs {LONG_READS} -o two{k}"]
        files = "long_R1.fastq long_R2.fastq"
        found += [
            f"unitigs -k {k} {files} -o k{k}.gfa",
            f"unitigs -k {k} --no-clean --tigs eulertigs {files} -o k{k}.fa",
            f"unitigs -k {k} --edge-centric {files} -o k{k}-edges.gfa",
            f"unitigs -k {k} --min-count 1 -m {_LITTLE_MEMORY} large.fa -o k{k}-large.gfa",
            f"count -k {k} {files} -o k{k}.npz",
            f"count -k {k} --forward --min-count 2 {files} -o k{k}.tsv",
            f"spectrum -k {k} {files} --json",
            f"graph -k {k} long_R1.fastq --convert csr -o k{k}-graph.npz",
            f"map {LONG_READS} k{k}.gfa -o k{k}.gaf",
            f"screen {LONG_READS} --against genome.fa -k {k} --report k{k}-screen.tsv --keep all -o k{k}-screen.fastq",
            *(f"count -k {k} long_{mate}.fastq -o k{k}-{mate}.dbgk" for mate in ("R1", "R2")),
            f"query k{k}-R1.dbgk,k{k}-R2.dbgk long_R1.fastq --positions rle -o k{k}-query.tsv",
            f"query k{k}-R1.dbgk genome.fa long_R1.fastq --format matrix -o k{k}-query-matrix.tsv",
            *(f"kmers {name} k{k}-R1.dbgk k{k}-R2.dbgk -o k{k}-{name}.dbgk" for name in ("union", "subtract")),
            f"kmers intersect k{k}-R1.dbgk k{k}-R2.dbgk k{k}-union.dbgk -o k{k}-three.dbgk",
            f"kmers expr '(a + b) * c' a=k{k}-R1.dbgk b=k{k}-R2.dbgk c=k{k}-union.dbgk -o k{k}-expr.dbgk",
            f"kmers compare k{k}-R1.dbgk k{k}-R2.dbgk",
            f"matrix samples.tsv -k {k} --prevalence k{k}-prevalence.tsv -o k{k}-matrix.npz",
            f"matrix k{k}-R1.dbgk k{k}-R2.dbgk --presence --soft-min 2 --share-min 1 -o k{k}-matrix.tsv",
            f"color samples.tsv -k {k} -o k{k}-colors.dbgc",
            f"color build k{k}-R1.dbgk k{k}-R2.dbgk -o k{k}-colors.gfa",
            f"color grep k{k}-colors.dbgc --any-of one,two --none-of three --split-by-color -o k{k}-grep.fa",
            f"color grep k{k}-colors.dbgc --all-of one -o k{k}-grep.tsv",
            f"query k{k}-colors.dbgc long_R1.fastq -o k{k}-query-colors.tsv",
        ]
    return [
        *found,
        f"map {READS} data/phix174_J02482.fa -o phix.paf",
        "map data/phix174_R1.fastq.gz phix -o phix.gaf",
        "simulate genome.fa --paired --length 150 --insert 160 --depth 20 --seed 5 -o adapters.fastq",
        "assemble -1 adapters_R1.fastq -2 adapters_R2.fastq -o adapters",
        "unitigs -k 31 --min-count 1 --no-clean short_R1.fastq short_R2.fastq -o unitigs-raw.gfa",
        "unitigs -k 31 --min-count 1 --no-clean short_R1.fastq short_R2.fastq -o unitigs-raw.fa",
        "assemble -k 31 --no-clean --min-count 1 --min-contig 40 -s short_R1.fastq -s short_R2.fastq -o raw",
        "count -k 21 short_R1.fastq -o short.tsv",
        "count -k 21 data/phix174_R1.fastq.gz",
        "unitigs data/phix174_R1.fastq.gz",
        "spectrum data/phix174_R1.fastq.gz",
        *(f"screen short_R1.fastq --against genome.fa --against diploid.fa -k {k} -o no.fastq" for k in K_OF_WORDS),
        "screen short_R1.fastq --against genome.fa --mask -o masked.fastq",
        "screen short_R1.fastq --against genome.fa --trim --ends right -o trimmed.fastq",
        "screen short_R1.fastq --against genome.fa --save-index index.npz -o unmatched.fastq",
        "screen short_R1.fastq --against index.npz -o unmatched.fastq",
        "screen short_R1.fastq --against k31-R1.dbgk -o unmatched.fastq",
        "count -k 31 --forward short_R1.fastq -o forward.dbgk",
        "screen short_R1.fastq --against forward.dbgk -o unmatched.fastq",
        "bin large.fa short_R1.fastq --min-bin 1 -o bins",
        "bin diploid.fa --min-bin 1",
        "report phix",
        "report phix data/phix174_J02482.fa -o compared.html",
        "stats phix/contigs.fasta phix/assembly_graph.gfa",
    ]


def _numbers() -> list[str]:
    """Commands that take numbers, of each dtype."""
    found = []
    for size, dtype in itertools.product(("few", "many"), ("i4", "i8", "u4", "u8", "f4", "f8")):
        file = f"{size}_{dtype}.npy"
        found += [
            f"sort {file} -o sorted.npy",
            f"sort {file} --reverse -o sorted.txt",
            f"sort {file} --unique -o sorted.txt",
            f"distinct {file} --count -o distinct.npy",
            f"compact {file} --where >50 -o compact.npy",
            f"histogram {file} --bins 20",
            f"join {file} {file} -o joined.npy",
        ]
    for file in ("many.txt", "integers.txt", "numbers.txt"):
        found += [f"sort {file}", f"sort {file} --reverse --unique", f"distinct {file} --count", f"histogram {file}"]
    return [
        *found,
        "som many.txt --map 8x8 --epochs 2 -o units.tsv",
        "som many.txt --map 8x8 --epochs 2 --distance taxicab --topology plane -o units.tsv",
        "sort many.txt --key 2,1r",
        "sort many.txt --key 2 --format csv -o sorted.csv",
        "join keys.txt many.txt",
        "sort words.tsv --key 2r,1",
        "sort words.tsv --fields 2,1",
        "distinct words.tsv --count",
        "filter >50 words.tsv --key 2",
        "histogram words.tsv --key 2",
        "join words.tsv words.tsv --unmatched",
    ]


def _graphs() -> list[str]:
    """Commands that take graphs."""
    return [
        "generate eulerian -n 1000 -o graph.npz",
        "euler graph.npz --verify --format npy -o circuit.npy",
        "draw graph.npz -o graph.html",
        "generate eulerian -n 200k -o large.npz",
        "euler large.npz --verify -o circuit.npy",
        "generate random -n 100k -o random.npz",
        "euler random.npz --trails -o trails.npz",
        "graph random.npz",
        "graph random.npz --components weak",
        "graph random.npz --components strong",
        "graph random.npz --pagerank",
        "graph random.npz --paths -o paths.txt",
        "graph random.npz --convert json -o random.json",
        "graph data/phix174_R1.fastq.gz --overlap 80 -o overlaps.graphml",
        "graph data/phix174_R1.fastq.gz -k 20 --overlap 19 -o overlaps.dot",
        "generate cactus -n 100k -o cactus.npz",
        "euler cactus.npz --verify -o circuit.npy",
        "generate debruijn --alphabet 2 -n 3",
        "generate debruijn --alphabet 4 -n 8 -o debruijn.npz",
        "euler debruijn.npz --verify",
        "euler debruijn.npz --undirected --trails -o trails.npz",
        "euler large.npz --path --start 5 -o path.npz",
        "euler -k 15 --trails data/phix174_R1.fastq.gz -o trails.npz",
        "euler large.npz --reverse",
        "graph weighted.csv --components weak",
        "generate genome -n 20k -k 13 --format tsv -o names.tsv",
        "graph names.tsv --convert npz -o names.npz",
        "graph names.tsv --components strong",
        "graph unitigs-raw.gfa --convert tsv -o raw.tsv",
        "graph rings.txt",
        "draw --debruijn ACGT,2 --euler --edge-labels --format dot",
        "draw --debruijn 2,4 --circuits --format dot",
        "draw phix/assembly_graph.gfa --format html -o assembly.html",
    ]


def _others() -> list[str]:
    methods = ("lyndon", "grandmama", "euler", "lfsr", "crt", "random", "prefer-same")
    sizes = (("2", 6), ("10", 4), ("ACGT", 9), ("2", 18))
    found = [
        f"debruijn --alphabet {alphabet} -n {n} --method {method} {rest} -o debruijn-{to}.{to}"
        for method, (alphabet, n), (to, rest) in itertools.product(
            methods, sizes, (("txt", ""), ("npy", "--linear"), ("bits", "--offset 7"), ("2bit", ""))
        )
        if (to == "bits") <= (alphabet == "2")
        and (to == "2bit") <= (alphabet == "ACGT")
        and (method != "lfsr" or alphabet != "10")
    ]
    for method in ("lyndon", "lfsr", "crt"):
        found += [f"debruijn at --alphabet ACGT -n 12 --method {method} 936 9999"]
        found += [f"debruijn locate --alphabet ACGT --method {method} GATTACAGATTA"]
    return [
        *found,
        "debruijn --alphabet ACGT -n 2",
        "debruijn --alphabet 10 -n 4 --linear",
        "debruijn --alphabet red,green -n 2",
        "debruijn --alphabet 2 -n 20 -o bits.txt",
        "debruijn --alphabet ACGT -n 10 -o words.txt",
        "debruijn verify words.txt",
        "debruijn -n 40 --method lfsr --format bits --range 0:100000",
        "debruijn -n 200 --range 1000000000000000000000000000000:1000000000000000000000000000050",
        "debruijn locate --alphabet ACGT GATTACAGATTACAGATTACAGATTACAGATT",
        "debruijn locate --alphabet 10 2026",
        "debruijn at --alphabet 10 -n 4 936 9999",
        "debruijn count --alphabet 4 -n 3",
        "debruijn -n 5 --cut-down 20",
        "debruijn -n 3 --both-strands",
        "debruijn --alphabet ACGT -n 3 --max-run 1 --forbid CG",
        "lookandsay 1 -n 5",
        "lookandsay 1 -n 50 --length",
        "lookandsay 1 -n 55 -o digits.txt",
        "lookandsay 13211321322113 -n 9",
        "cyclospec NQEL",
        "cyclospec NQEL --count --top 3",
        "cyclospec VKLFPWFNQYVKLFPWFNQY",
        "cyclospec 'V[Orn]LF[+0.984]' --mass monoisotopic --unique",
        "cyclospec sequence masses.txt --top 1",
        "cyclospec score NQEL masses.txt",
        "cyclospec trim NQEL LEQN masses.txt --top 1 --linear",
        "cyclospec convolve masses.txt --between 57:200 --top 4",
        "cyclospec NQELNQELNQELNQELNQELNQELNQELNQELNQELNQELNQEL --count",
        "cyclospec VKLFPWFNQY -o masses-exact.txt",
        "cyclospec sequence masses-exact.txt --top 1",
        "cyclospec score VKLFPWFNQY masses-exact.txt",
        "cyclospec count 1322",
        "cyclospec count 1322 --cyclic",
    ]
