"""Data sets of the tables of contig quality: reads of the user, or reads simulated from references."""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xopen import xopen

from tests.benchmarks.machine import ROOT
from tests.benchmarks.tasks import DBG

SIMULATORS = ("dbg", "art")
COLUMNS = (
    *("name", "group", "reads_1", "reads_2", "reference", "circular", "genomes", "depth", "length", "insert"),
    *("seed", "simulator"),
)
SEED = 42
BLOCK = 1 << 22


@dataclass(frozen=True)
class DataSet:
    """Reads, how they are simulated if they are, and the references of their contigs.

    Attributes
    ----------
    name, group : str
        Rows of one group are in one table.
    references : tuple of Path
        FASTA files; contigs are scored against all together and, if there are several, against each.
    reads : tuple of Path
        Files of the user: one of single reads, or two of mates. Without files reads are simulated.
    circular : bool
        Whether the molecules are circular.
    genomes : tuple of Path
        What reads are simulated from (default: the references).
    depths : tuple of float
        Read depth of each genome.
    length, insert, seed : int
    simulator : str
        ``dbg`` or ``art`` (default: that of the whole run).
    """

    name: str
    group: str = "Data sets"
    references: tuple[Path, ...] = ()
    reads: tuple[Path, ...] = ()
    circular: bool = False
    genomes: tuple[Path, ...] = ()
    depths: tuple[float, ...] = ()
    length: int = 150
    insert: int = 400
    seed: int = SEED
    simulator: str = ""

    @property
    def slug(self) -> str:
        """Name for files."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.name)


@dataclass(frozen=True)
class Reads:
    """Files of reads, and a digest of their content and of the references.

    Attributes
    ----------
    files : list of Path
    digest : str
    origin : str
        Program that simulated them; empty for reads of the user.
    """

    files: list[Path]
    digest: str
    origin: str = ""


def reference_sets(reference: Path, circular: bool = True) -> list[DataSet]:
    """Return reads of 2 x 150 at six depths, and reads of three other lengths."""
    plan = [(150, depth) for depth in (10, 20, 40, 60, 100, 250)] + [(100, 40), (125, 25), (250, 40)]
    return [
        DataSet(
            name=f"2x{length}, {depth}x",
            group=f"Reads of {reference.name.partition('.')[0]}",
            references=(reference,),
            circular=circular,
            depths=(depth,),
            length=length,
            insert=500 if length == 250 else 400,
        )
        for length, depth in plan
    ]


def phage_set() -> DataSet:
    """Return the reads of phiX174 in data/."""
    data = ROOT / "data"
    reads = (data / "phix174_R1.fastq.gz", data / "phix174_R2.fastq.gz")
    return DataSet("phiX174", "Small genomes", (data / "phix174_J02482.fa",), reads, circular=True)


def read_sets(path: Path) -> list[DataSet]:
    """Read data sets from a table with a header; file names are relative to the table.

    Raises
    ------
    ValueError
        If a column is unknown, or a row has neither reads nor a depth for each genome.
    """
    with open(path, newline="") as file:
        rows = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t")
        unknown = sorted(set(rows.fieldnames or ()) - set(COLUMNS))
        if unknown or "name" not in (rows.fieldnames or ()):
            raise ValueError(
                f"{path}: expected columns of {', '.join(COLUMNS)}, got {', '.join(rows.fieldnames or ())}"
            )
        return [_row_set(path, {key: (value or "").strip() for key, value in row.items()}) for row in rows]


def _row_set(path: Path, row: dict[str, str]) -> DataSet:
    def files(*columns: str) -> tuple[Path, ...]:
        names = [name for column in columns for name in row.get(column, "").split(",") if name]
        return tuple((path.parent / name).resolve() for name in names)

    found = DataSet(
        name=row["name"],
        group=row.get("group") or "Data sets",
        references=files("reference"),
        reads=files("reads_1", "reads_2"),
        circular=row.get("circular") in ("yes", "true", "1"),
        genomes=files("genomes"),
        depths=tuple(float(depth) for depth in row.get("depth", "").split(",") if depth),
        simulator=row.get("simulator", ""),
        **{key: int(row[key]) for key in ("length", "insert", "seed") if row.get(key)},
    )
    if not found.reads and len(found.depths) != len(found.genomes or found.references):
        raise ValueError(f"{path}: {found.name}: expected reads, or a depth for each genome")
    if len(found.reads) > 2 or found.simulator not in ("", *SIMULATORS):
        raise ValueError(f"{path}: {found.name}: expected one or two files of reads, simulator dbg or art")
    return found


def prepare(data: DataSet, simulator: str, directory: Path) -> Reads:
    """Return the reads of a data set; simulate them unless a former run left the same in the directory."""
    if data.reads:
        return Reads(list(data.reads), _digest(data.reads, data.references))
    simulator = data.simulator or simulator
    files = [directory / f"{data.slug}_R{mate}.fastq.gz" for mate in (1, 2)]
    recipe = directory / f"{data.slug}.json"
    wanted = [_simulation(simulator, data, number, Path("part")) for number in range(len(data.depths))]
    kept: dict[str, Any] = json.loads(recipe.read_text()) if recipe.exists() else {}
    if kept.get("commands") != wanted or not all(file.exists() for file in files):
        recipe.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{data.slug}-", dir=directory) as parts:
            _simulate(simulator, data, files, Path(parts))
        kept = {"commands": wanted, "digest": _digest(files, data.references)}
        recipe.write_text(json.dumps(kept, indent=1) + "\n")
    return Reads(files, kept["digest"], {"art": "ART", "dbg": "dbg simulate"}[simulator])


def _simulate(simulator: str, data: DataSet, files: Sequence[Path], parts: Path) -> None:
    """Simulate reads of each genome; put them one after the other into two files."""
    outputs = [parts / file.name for file in files]
    for number, genome in enumerate(data.genomes or data.references):
        prefix = parts / str(number)
        command = _simulation(simulator, data, number, prefix)
        if simulator == "art":
            plain = Path(f"{prefix}.fa")
            plain.write_bytes(b"".join(_blocks(genome)))
            command = [str(plain) if word == str(genome) else word for word in command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=parts)
        for mate, output in enumerate(outputs, 1):
            part = Path(f"{prefix}{mate}.fq" if simulator == "art" else f"{prefix}_R{mate}.fastq.gz")
            with xopen(output, "ab", compresslevel=1, threads=0, format="gz") as file:
                for block in _blocks(part):
                    file.write(block)
            part.unlink()
    for output, file in zip(outputs, files, strict=True):
        output.replace(file)


def _simulation(simulator: str, data: DataSet, number: int, prefix: Path) -> list[str]:
    """Command that simulates reads of one genome; those of two haplotypes must not have their errors in common."""
    genome, depth = (data.genomes or data.references)[number], f"{data.depths[number]:g}"
    numbers = data.length, data.insert, data.insert // 10, data.seed + number * bool(data.genomes)
    length, insert, deviation, seed = map(str, numbers)
    if simulator == "art":
        profile = "HS25" if data.length <= 150 else "MSv3"
        command = ["art_illumina", "-q", "-ss", profile, "-p", "-na", "-i", str(genome), "-l", length, "-f", depth]
        return [*command, "-m", insert, "-s", deviation, "-rs", seed, "-o", str(prefix)]
    command = [*DBG, "simulate", str(genome), "--paired", "--depth", depth, "--length", length, "--insert", insert]
    return [*command, "--insert-sd", deviation, "--seed", seed, *["--circular"] * data.circular, "-o", str(prefix)]


def _digest(reads: Sequence[Path], references: Sequence[Path]) -> str:
    """Digest of what the files hold when decompressed."""
    whole = hashlib.sha256()
    for path in (*reads, *references):
        content = hashlib.sha256()
        for block in _blocks(path):
            content.update(block)
        whole.update(content.digest())
    return whole.hexdigest()


def _blocks(path: Path) -> Iterator[bytes]:
    with xopen(path, "rb", threads=0) as file:
        while block := file.read(BLOCK):
            yield block
