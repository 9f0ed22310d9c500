"""Disks that are full, directories that vanish, few file descriptors, and runs that are killed."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from debruijn_gpu.errors import DISK_FULL, remedy

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
READS = DATA / "phix174_R1.fastq.gz"
MATES = DATA / "phix174_R2.fastq.gz"
GENOME = DATA / "phix174_J02482.fa"
DBG = [sys.executable, "-m", "debruijn_gpu"]
LITTLE_DISK = 'mount -t tmpfs -o size=16k tmpfs "$0" || exit 99; "$@"; code=$?; ls -A "$0"; exit $code'
UNSHARE = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]


def start(*args, **options) -> subprocess.Popen[bytes]:
    command = [*DBG, *map(str, args)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, **options)


def test_remedies_of_errors():
    assert {remedy(OSError(number, ""), "x") for number in DISK_FULL} == {"free some space, or write elsewhere"}
    assert remedy(OSError(errno.EMFILE, ""), "x") == "allow more open files: ulimit -n 64"
    assert remedy(OSError(errno.EACCES, ""), "x") == remedy(OSError("no number"), "x") == "x"


def has_little_disks() -> bool:
    if shutil.which("unshare") is None:
        return False
    done = subprocess.run([*UNSHARE, "sh", "-c", LITTLE_DISK, "/mnt", "true"], capture_output=True, check=False)
    return done.returncode == 0


@pytest.fixture(scope="module")
def little_disk():
    """A function that runs a command while a directory is a disk of 16 KiB: the process, and the names left there."""
    if not has_little_disks():
        pytest.skip("no right to mount a tmpfs in a namespace of one's own")

    def run(directory: Path, *args) -> tuple[subprocess.CompletedProcess[str], list[str]]:
        command = [*UNSHARE, "sh", "-c", LITTLE_DISK, str(directory), *DBG, *map(str, args)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=240)
        return done, done.stdout.splitlines()

    return run


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("unitigs {reads} -k 31 --min-count 1 --no-clean", "x.gfa"),
        ("count {reads} -k 31", "x.tsv"),
        ("count {reads} -k 31", "x.npz"),
        ("count {reads} -k 31", "x.tsv.gz"),
        ("graph {reads} -k 31 --convert npz", "x.npz"),
        ("graph {reads} -k 31 --convert directory", "x"),
        ("simulate {genome} --depth 20", "x.fq"),
        ("report {genome}", "x.html"),
        ("debruijn --alphabet 4 -n 9", "x.txt"),
        ("debruijn --alphabet 4 -n 9", "x.npy"),
        ("generate random -n 9000", "x.npy"),
        ("generate random -n 9000 --to csr", "x.npz"),
        ("map {reads} {genome}", "x.paf"),
        ("matrix {genome}", "x.tsv"),
        ("matrix {genome}", "x.npz"),
        ("matrix {genome}", "x.zarr"),
        ("screen {reads} --against {genome} --keep all", "x.fq"),
    ],
)
def test_full_disk_leaves_no_part_of_a_result(tmp_path, little_disk, line, name):
    output = tmp_path / name
    done, left = little_disk(tmp_path, *line.format(reads=READS, genome=GENOME).split(), "-q", "-o", output)
    assert (done.returncode, left) == (66, [])
    assert done.stderr.splitlines()[-2:] == [
        f"dbg: {output}: No space left on device",
        "     free some space, or write elsewhere",
    ]


@pytest.mark.process
@pytest.mark.slow
def test_full_disk_leaves_the_log_of_an_assembly(tmp_path, little_disk):
    done, left = little_disk(tmp_path, "assemble", READS, MATES, "-k", 31, "-q", "-o", tmp_path / "out")
    assert (done.returncode, left) == (66, ["out"])
    assert done.stderr.splitlines()[0].startswith(f"dbg: {tmp_path}/out/")
    assert done.stderr.splitlines()[0].endswith(": No space left on device")


@pytest.mark.process
@pytest.mark.slow
def test_pipe_that_is_copied_to_a_full_disk(tmp_path, little_disk):
    graph = tmp_path.parent / f"{tmp_path.name}.gfa"
    graph.write_text("H\tVN:Z:1.0\n" + "".join(f"S\t{i}\t{'ACGT' * 25}\n" for i in range(500)))
    script = f"cat {graph} | TMPDIR={tmp_path} '{sys.executable}' -m debruijn_gpu draw - --format html -q -o /dev/null"
    command = [*UNSHARE, "sh", "-c", LITTLE_DISK, str(tmp_path), "sh", "-c", script]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (66, "")
    assert done.stderr.splitlines()[0] == f"dbg: {tmp_path}: temporary copy: No space left on device"


@pytest.mark.process
@pytest.mark.parametrize("command", ["assemble", "unitigs", "count"])
def test_sixty_four_file_descriptors_suffice(tmp_path, command):
    paths = [tmp_path / f"{i}.fa" for i in range(80)]
    for path in paths:
        path.write_bytes(GENOME.read_bytes())
    done = start(
        *(command, *paths, "-k", 31, "-q", "-o", tmp_path / "out"),
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
    )
    assert (done.communicate(timeout=120)[1], done.returncode) == (b"", 0)
    assert (tmp_path / "out").exists()


@pytest.mark.process
def test_too_few_file_descriptors_are_an_error(tmp_path):
    done = start(
        *("stats", GENOME, "-o", tmp_path / "out"),
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5)),
    )
    said = done.communicate(timeout=60)[1].decode()
    if done.returncode:
        assert (done.returncode, said.splitlines()[-1]) == (66, "     allow more open files: ulimit -n 64")
        assert list(tmp_path.iterdir()) == []


def waiting(err) -> None:
    """Wait until a command reads its standard input."""
    while b"backend: " not in (line := err.readline()):
        assert line


@pytest.mark.process
def test_output_directory_that_vanishes(tmp_path):
    place = tmp_path / "out"
    with start("assemble", "-", "-k", 31, "-v", "-o", place, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        waiting(process.stderr)
        shutil.rmtree(place)
        said = process.communicate(READS.read_bytes(), timeout=120)[1].decode().splitlines()
    assert process.returncode == 66
    assert said[-2].startswith(f"dbg: {place}")
    assert said[-2].endswith(": No such file or directory")
    assert not place.exists()


@pytest.mark.process
def test_directory_of_temporary_files_that_vanishes(tmp_path):
    place = tmp_path / "tmp"
    place.mkdir()
    code = (
        "import sys; from debruijn_gpu.cli import main; from debruijn_gpu.run.tuning import tuned\n"
        f"with tuned(super_kmers_share=1e-9): main(['count', '-', '-k', '31', '-v', '--tmp-dir', {str(place)!r}])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, **pipes) as process:
        waiting(process.stderr)
        shutil.rmtree(place)
        out, err = process.communicate(READS.read_bytes(), timeout=120)
    if process.returncode:  # the file was made after the directory had vanished
        assert process.returncode == 66
        assert err.decode().splitlines()[-2] == f"dbg: {place}: temporary file: No such file or directory"
        assert out == b""
    assert not place.exists()


@pytest.mark.process
@pytest.mark.parametrize(
    "line",
    ["count - -k 31 --tmp-dir {tmp} -o {tmp}/out", "draw - --format html -o {tmp}/out", "debruijn verify - -n 5 -q"],
)
def test_killed_run_leaves_no_temporary_file(tmp_path, line):
    """Not even until the next run: temporary files have no names."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    command = [*DBG, *line.format(tmp=tmp_path).split()]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        process.stdin.write(b">r\n" + b"ACGT" * 100_000)
        process.stdin.flush()
        links = Path(f"/proc/{process.pid}/fd")
        deadline = time.monotonic() + 60
        while not any("(deleted)" in os.readlink(link) for link in open_files(links)) and time.monotonic() < deadline:
            if line.startswith("count") and process.stdin.write(b"ACGT") and time.monotonic() > deadline - 55:
                break  # nothing had to be written yet
            time.sleep(0.02)
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
    assert list(tmp_path.iterdir()) == []


def open_files(links: Path) -> list[Path]:
    return [link for link in links.iterdir() if os.path.lexists(link)]


@pytest.mark.process
@pytest.mark.parametrize("file_format", ["directory", "npz"])
def test_second_graph_into_a_directory_waits_for_nobody(tmp_path, file_format):
    """Both runs end; the result is that of one of them, whole."""
    (tmp_path / "g.txt").write_text("a -> b\nb -> a\n")
    output = tmp_path / "out"
    options = ("graph", tmp_path / "g.txt", "--convert", file_format, "-q", "-o", output)
    processes = [start(*options, stderr=subprocess.PIPE) for _ in range(2)]
    for process in processes:
        assert (process.communicate(timeout=60)[1], process.returncode) == (b"", 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.txt", "out"]
