"""Run commands on the data of the package, and compare their results with published digests.

The genome is in the package; the reads of ``data/`` are simulated from it again. Each command runs in a process of its
own, so that its exit code and messages are tested too.
"""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import debruijn_gpu
from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.io.staging import Staging
from debruijn_gpu.run.resources import allowed_cpus

GENOME = Path(__file__).parent / "phix174_J02482.fa"
#: Lines of command, result and SHA-256, with tabs between them
DIGESTS = Path(__file__).parent / "digests.tsv"
#: Standard output of a command among its results
STDOUT = "stdout"

_READS = "phix174_R1.fastq.gz phix174_R2.fastq.gz"

#: Commands that make inputs of the others, by the name of their results
FIRST = {
    "simulate": "simulate genome.fa --circular --paired --length 100 --depth 40 --insert 300 --insert-sd 30 -o phix174",
    "generate": "generate eulerian -n 2000 --seed 5 -o edges.tsv",
}
#: The other commands
COMMANDS = {
    "assemble": "assemble -1 phix174_R1.fastq.gz -2 phix174_R2.fastq.gz -k 51 -o assembly",
    "unitigs": f"unitigs -k 31 {_READS} -o unitigs.gfa",
    "count": f"count -k 21 --min-count 2 {_READS} -o counts.tsv --histogram counts.tsv.hist",
    "spectrum": f"spectrum -k 31 {_READS}",
    "map": "map -1 phix174_R1.fastq.gz -2 phix174_R2.fastq.gz genome.fa",
    "graph": "graph edges.tsv --components strong",
    "euler": "euler edges.tsv",
    "debruijn": "debruijn --alphabet 4 -n 6",
    "lookandsay": "lookandsay 1 -n 30",
    "cyclospec": "cyclospec NQELTYRA",
    "sort": "sort --key 2r counts.tsv.hist",
}
_NEEDS = {"sort": "count"}
_WITHOUT_BACKEND = ("simulate", "generate")
#: Results that hold times, paths and versions
_OF_THE_RUN = ("dbg.log", "run.json", "report.html", "params.json")

_MOST_SECONDS = 600
_PROGRAM = "import sys; sys.path.insert(0, sys.argv.pop(1)); from debruijn_gpu.__main__ import main; main()"


@dataclass(frozen=True)
class SelfTest:
    """Outcome of a self-test on one backend.

    Attributes
    ----------
    n_commands, n_files : int
        Commands that ran, and results that were compared.
    problems : list of str
        What failed or differs, one line each; empty if all is as published.
    """

    n_commands: int
    n_files: int
    problems: list[str]


def published() -> dict[tuple[str, str], str]:
    """Load the published digests.

    Returns
    -------
    dict of (str, str) to str
        SHA-256 in hexadecimal digits, by command and result.

    Raises
    ------
    FileAccessError
        If the table cannot be read.
    """
    try:
        rows = [line.split("\t") for line in DIGESTS.read_text("ascii").splitlines()[1:]]
        return {(command, result): digest for command, result, digest in rows}
    except (OSError, ValueError) as error:
        raise FileAccessError(f"{DIGESTS}: the table of digests is damaged", "install dbg again") from error


def as_table(digests: dict[tuple[str, str], str]) -> str:
    """Format digests as `published` reads them, sorted by command and result."""
    rows = [("command", "result", "sha256"), *((*key, digest) for key, digest in sorted(digests.items()))]
    return "".join("\t".join(row) + "\n" for row in rows)


def check(backend: str) -> SelfTest:
    """Run all commands on a backend, and compare their results with the published digests.

    Parameters
    ----------
    backend : str
        ``cpu`` or ``cuda``.
    """
    try:
        expected = published()
        staging = Staging(Path(tempfile.gettempdir()) / "dbg-self-test")
        try:
            found, problems = measure(backend, staging.path)
        finally:
            staging.remove()
    except (FileAccessError, OSError) as error:
        return SelfTest(0, 0, [str(error)])
    failed = {problem.split(":", 1)[0] for problem in problems}
    for command, result in sorted(expected.keys() | found.keys()):
        if command not in failed and expected.get((command, result)) != found.get((command, result)):
            problems.append(f"{command}: {_difference(result, (command, result) in found)}")
    return SelfTest(len(FIRST) + len(COMMANDS), len(found), problems)


def _difference(result: str, is_written: bool) -> str:
    return f"{result} differs from the published digest" if is_written else f"{result} is missing"


def measure(backend: str, directory: Path) -> tuple[dict[tuple[str, str], str], list[str]]:
    """Run all commands on a backend in an empty directory.

    Returns
    -------
    digests : dict of (str, str) to str
        As `published` returns them.
    problems : list of str
        Commands that failed, each with its last message.
    """
    (directory / "genome.fa").write_bytes(GENOME.read_bytes())
    digests: dict[tuple[str, str], str] = {}
    problems: list[str] = []
    first_of_two = [name for name in COMMANDS if name not in _NEEDS]
    for names in (FIRST, first_of_two, _NEEDS):
        with ThreadPoolExecutor(min(allowed_cpus(), len(names))) as pool:
            outcomes = list(pool.map(partial(_run, backend=backend, directory=directory), names))
        for name, (found, problem) in zip(names, outcomes, strict=True):
            digests |= {(name, result): digest for result, digest in found.items()}
            problems += [f"{name}: {problem}"] if problem else []
        if problems:
            break
    return digests, problems


def _run(name: str, backend: str, directory: Path) -> tuple[dict[str, str], str]:
    """Run a command; return the digests of its results, and why it failed, which is empty if it did not."""
    line = (FIRST | COMMANDS)[name].split()
    options = ["-q"] if name in _WITHOUT_BACKEND else ["-q", "-t", "1", "--backend", backend]
    # As `-m debruijn_gpu`, of this very package, also where the interpreter is isolated.
    isolated = ["-I"] if sys.flags.isolated else []
    program = [sys.executable, *isolated, "-c", _PROGRAM, str(Path(debruijn_gpu.__file__).parents[1])]
    try:
        done = subprocess.run(
            [*program, *line, *options],
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {}, f"no result after {_MOST_SECONDS} s"
    if done.returncode:
        messages = done.stderr.decode(errors="replace").splitlines()
        said = next((text for text in messages if text.startswith("dbg: ")), (messages or ["no message"])[-1])
        return {}, f"exit code {done.returncode} ({said.removeprefix('dbg: ')})"
    found = {STDOUT: _digest(done.stdout)} if done.stdout else {}
    return found | dict(map(_named_digest, _files_of(line, directory))), ""


def _named_digest(path: Path) -> tuple[str, str]:
    """Name and digest of a result; of gzip those of its content, as libraries compress differently."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        return path.stem, _digest(gzip.decompress(content))
    return path.name, _digest(content)


def _files_of(line: list[str], directory: Path) -> Iterator[Path]:
    """Yield the files that a command wrote to its ``-o``: a file, those with this prefix, or those of a directory."""
    if "-o" not in line:
        return
    output = directory / line[line.index("-o") + 1]
    if output.is_dir():
        yield from (path for path in sorted(output.iterdir()) if path.name not in _OF_THE_RUN)
        return
    yield from sorted(directory.glob(f"{output.name}*"))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
