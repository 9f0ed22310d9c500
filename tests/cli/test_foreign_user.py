"""A user without a home, a terminal or write access to the package runs a pipeline: one scenario, not as root.

Where the tests run as root, the commands run as `nobody`; where `nobody` cannot reach the interpreter, with the one
right of root to read everything, and none to write.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from debruijn_gpu.backends.core.cache_place import version_directory
from debruijn_gpu.doctor import self_test
from debruijn_gpu.version import __version__

pytestmark = [pytest.mark.process, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
NOBODY = 65534
IS_ROOT = os.geteuid() == 0
USER = NOBODY if IS_ROOT else os.geteuid()
TO_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
READS_ALL = ["--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"]
#: As `python -I -m debruijn_gpu`, of this checkout
PROGRAM = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from debruijn_gpu.__main__ import main; main()"
DBG = [sys.executable, "-I", "-c", PROGRAM]


def as_user() -> list[str]:
    """Command that runs another one as somebody who is not root."""
    if not IS_ROOT:
        return []
    ways = ([*TO_NOBODY, "--inh-caps=-all"], [*TO_NOBODY, *READS_ALL])
    for way in ways if shutil.which("setpriv") else ():
        done = subprocess.run([*way, *DBG, "--version"], capture_output=True, env={}, cwd="/", check=False)
        if done.returncode == 0:
            return way
    pytest.skip("no other user can run the interpreter: it needs setpriv, and a directory that others may read")


@pytest.fixture
def place():
    """A directory that the user can reach, with a directory of the user's own for each purpose."""
    with tempfile.TemporaryDirectory(prefix="dbg-user-") as name:
        path = Path(name)
        path.chmod(0o755)
        for mate in "12":
            reads = gzip.decompress((ROOT / "data" / f"phix174_R{mate}.fastq.gz").read_bytes())
            (path / f"dataset_{mate}.dat").write_bytes(reads)
        for directory in ("work", "tmp", "home"):
            (path / directory).mkdir()
            if IS_ROOT:
                os.chown(path / directory, USER, USER)
        (path / "home").chmod(0o555)
        yield path
        (path / "home").chmod(0o755)


@pytest.fixture
def run(place):
    """A function that runs a command as the user, in almost no environment: output and messages."""
    prefix = as_user()

    def run(line: str, **variables: str) -> tuple[str, list[str]]:
        environment = {"PATH": os.environ["PATH"], "LANG": "C", "TMPDIR": str(place / "tmp"), **variables}
        command = [*prefix, *DBG, *line.split()]
        done = subprocess.run(
            command, env=environment, cwd=place / "work", stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode(), done.stderr.decode("ascii").splitlines()

    return run


def readable_store(place: Path) -> Path:
    """A store of kernels as an image brings it: all may read it, and the user may not write it."""
    filled = version_directory()
    assert filled is not None
    store = place / "store"
    shutil.copytree(filled, store / "debruijn_gpu" / filled.name, ignore_dangling_symlinks=True)
    for path in (store, *store.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return store


def contents(directory: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in directory.rglob("*")}


def times_of_package() -> dict[Path, int]:
    """When each file of the package was written, but for compiled Python, which other tests may write meanwhile."""
    paths = (path for path in (ROOT / "debruijn_gpu").rglob("*") if "__pycache__" not in path.parts)
    return {path: path.stat().st_mtime_ns for path in paths if path.is_file()}


def test_pipeline_of_a_user_without_home_and_terminal(place, run):
    package = times_of_package()
    fallback = place / "tmp" / f"debruijn_gpu-{USER}" / f"kernels-{__version__}"

    # A home that cannot be written: compiled code goes to the temporary directory, is kept there, and a line says so.
    out, err = run("lookandsay 1 -n 5", HOME=str(place / "home"))
    assert out.splitlines()[-1] == "312211"
    assert f"it goes to {fallback}" in " ".join(err)
    kept = contents(fallback)
    assert kept
    assert list((place / "home").iterdir()) == []
    out, err = run("lookandsay 1 -n 5 -v", HOME=str(place / "home"))
    assert "compiling" not in " ".join(err)
    assert contents(fallback) == kept
    if IS_ROOT:  # without HOME, the home is that of the password file: nobody has none
        out, err = run("lookandsay 1 -n 5")
        assert f"it goes to {fallback}" in " ".join(err)

    # A store that others filled: read, and not written. Files without an ending, and a directory that is not empty.
    store = readable_store(place)
    before = contents(store)
    (place / "work" / "job").mkdir()
    (place / "work" / "job" / "notes.txt").write_text("mine\n")
    if IS_ROOT:
        os.chown(place / "work" / "job", USER, USER)
    line = f"assemble -1 {place}/dataset_1.dat -2 {place}/dataset_2.dat -k 51 -o job"
    out, err = run(line, DBG_CACHE_DIR=str(store))
    assert out == ""
    assert all(said.startswith("[dbg] ") for said in err)
    assert "warning" not in " ".join(err)
    assert contents(store) == before
    job = place / "work" / "job"
    assert (job / "notes.txt").read_text() == "mine\n"
    expected = {
        name: digest
        for (command, name), digest in self_test.published().items()
        if command == "assemble" and name != self_test.STDOUT
    }
    found = {name: hashlib.sha256((job / name).read_bytes()).hexdigest() for name in expected}
    assert found == expected

    # What is made of it, in formats of their own; nothing else is left anywhere.
    for line in (
        "stats job --format tsv",
        "report job -o page.html",
        "draw job/assembly_graph.gfa --format html -o graph.html",
    ):
        run(line, DBG_CACHE_DIR=str(store))
    assert {path.name for path in (place / "work").iterdir()} == {"job", "page.html", "graph.html"}
    assert [path.name for path in (place / "tmp").iterdir()] == [f"debruijn_gpu-{USER}"]
    assert times_of_package() == package
    for path in (store, *store.rglob("*")):
        path.chmod(0o755)
