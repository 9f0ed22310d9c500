"""What goes wrong is said in two lines, what and what to do, with an exit code; and nothing is left half-written."""

from __future__ import annotations

import errno
import gzip
import itertools
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from debruijn_gpu.cli import memory_faults
from debruijn_gpu.run.parallel import end_idle_threads
from debruijn_gpu.run.tuning import tuned

ROOT = Path(__file__).parents[2]
READS = ROOT / "data" / "phix174_R1.fastq.gz"
MATES = ROOT / "data" / "phix174_R2.fastq.gz"
DBG = [sys.executable, "-m", "debruijn_gpu"]
GRAPH_COMMANDS = ["assemble", "unitigs"]
N_RESULTS = 13  # files of an assembly
READ_COMMANDS = [*GRAPH_COMMANDS, "count", "spectrum"]
FILE_COMMANDS = ["unitigs", "count", "spectrum"]  # their -o is a file

FASTQ = b"@a\nACGTACGT\n+\nIIIIIIII\n@b\nACGT\n+\nIIII\n"


def explained(result: tuple[int, str, str]) -> tuple[int, str]:
    """Exit code and what is said, if that is two lines and there is no result."""
    code, out, err = result
    assert out == ""
    lines = err.splitlines()
    what, fix = lines[-2:]
    assert all(line.startswith("[dbg] ") for line in lines[:-2])
    assert what.startswith("dbg: ")
    assert fix.startswith("     ")
    assert len(fix) > 15
    assert "Traceback" not in err
    return code, what.removeprefix("dbg: ")


def threads() -> list[str]:
    end_idle_threads()
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("dbg")]


@pytest.fixture
def fault(dbg):
    """A function that runs a command that fails: exit code and what is said."""

    def run(*args):
        found = explained(dbg(*args))
        assert threads() == []
        return found

    return run


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


BAD_FILES = {
    "empty": (b"", "the file is empty"),
    "empty lines": (b"\n\n\n", "no records, only empty lines"),
    "text": (b"Dear reader,\n", "has 'e' at position 2 of its first line, so it is neither FASTA"),
    "binary": (bytes(range(256)), "begins with byte 0x00"),
    "web page": (b"<!DOCTYPE html><html></html>\n", "this is a web page"),
    "sam": (b"@HD\tVN:1.6\tSO:coordinate\n", "this is SAM"),
    "graph": (b"H\tVN:Z:1.0\nS\t1\tACGT\n", "this is an assembly graph"),
    "truncated gzip": (READS.read_bytes()[:20_000], "the compressed data are truncated after"),
    "damaged gzip": (READS.read_bytes()[:20_000] + bytes(20_000), "the compressed data are"),
    "empty gzip": (gzip.compress(b""), "no records"),
    "truncated": (FASTQ + b"@c\nACGT\n+\n", "record 3, line 9: the file ends within this record"),
    "too few qualities": (FASTQ + b"@c\nACGT\n+\nIII\n@d\nA\n+\nI\n", "record 3, line 12: 4 bases but 3 qualities"),
    "too many qualities": (FASTQ + b"@c\nACGT\n+\nIIIII\n", "record 3, line 12: 4 bases but 5 qualities"),
    "no base": (b">a\nACGT\n>b\nAC!T\n", "record 2, line 4: '!' is no nucleotide letter"),
    "FASTA in FASTQ": (FASTQ + b">c\nACGT\n", "record 3, line 9: '>' where the next record's header should begin"),
}


@pytest.mark.parametrize("command", READ_COMMANDS)
@pytest.mark.parametrize(("content", "what"), BAD_FILES.values(), ids=BAD_FILES)
def test_bad_files(fault, tmp_path, command, content, what):
    path = write(tmp_path / "reads.fq", content)
    code, said = fault(command, path)
    assert code == 64
    assert said.startswith(f"{path}: {what}")


@pytest.mark.parametrize("command", READ_COMMANDS)
def test_the_second_file_is_bad(fault, tmp_path, command):
    path = write(tmp_path / "reads.fq", FASTQ + b"@c\nACGT\n+\nII\n")
    code, said = fault(command, READS, path, "-o", tmp_path / "out")
    assert (code, said) == (64, f"{path}: record 3, line 12: 4 bases but 2 qualities")
    assert not (tmp_path / "out").exists() or [p.name for p in (tmp_path / "out").iterdir()] == ["dbg.failed.log"]
    assert len(list(tmp_path.iterdir())) <= 2


@pytest.mark.parametrize("command", READ_COMMANDS)
def test_pairs(fault, tmp_path, command):
    first = write(tmp_path / "1.fq", FASTQ)
    longer = write(tmp_path / "2.fq", FASTQ + b"@c\nA\n+\nI\n")
    other = write(tmp_path / "3.fq", FASTQ.replace(b"@b", b"@x"))
    code, said = fault(command, "-1", first, "-2", longer)
    assert (code, said) == (64, f"{first} ends after 2 records, but {longer} continues")
    code, said = fault(command, "-1", longer, "-2", first)
    assert (code, said) == (64, f"{first} ends after 2 records, but {longer} continues")
    code, said = fault(command, "-1", first, "-2", other)
    assert (code, said) == (64, f"{first} and {other}: record 2: the names of the mates differ: b and x")
    code, said = fault(command, "--12", longer)
    assert (code, said) == (64, f"{longer}: records 1 and 2: the names of the mates differ: a and b")
    code, said = fault(command, "-1", first, "-1", longer, "-2", first)
    assert (code, said[:24]) == (2, "2 files of first mates (")
    assert fault(command, "-1", first, "-2", first)[0] == 2


@pytest.mark.parametrize("command", READ_COMMANDS)
def test_files_that_cannot_be_read(fault, tmp_path, command):
    assert fault(command, tmp_path / "none.fq") == (65, f"{tmp_path / 'none.fq'}: No such file or directory")
    assert fault(command, READS / "x") == (65, f"{READS / 'x'}: Not a directory")
    assert fault(command, tmp_path) == (66, f"{tmp_path}: is a directory")
    assert fault(command, "-", "-")[0] == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("command", READ_COMMANDS)
def test_files_that_may_not_be_read(fault, tmp_path, command):
    path = write(tmp_path / "reads.fq", FASTQ)
    path.chmod(0)
    assert fault(command, path) == (66, f"{path}: Permission denied")


@pytest.mark.parametrize("command", READ_COMMANDS)
def test_impossible_parameters(fault, command):
    assert fault(command, READS, "-k", 256) == (2, "k is 256")
    assert fault(command, READS, "-k", 0) == (2, "k is 0")
    assert fault(command, READS, "-k", 101) == (67, "k is 101, but the longest read has 100 bases")
    assert fault(command, READS, "-t", -1)[0] == 2
    assert fault(command, READS, "-m", "lots") == (2, "memory 'lots' is not a size")
    assert fault(command, READS, "--gpu-memory", "lots", "--backend", "cpu") == (2, "--gpu-memory 'lots' is not a size")
    assert fault(command, READS, "--backend", "abacus")[0] == 2
    assert fault(command, READS, "-k", "x")[0] == 2
    assert fault(command, READS, "-t", "x")[0] == 2
    assert fault(command, READS, "--nonsense")[0] == 2


@pytest.mark.parametrize("command", READ_COMMANDS)
def test_directories_of_temporary_files_that_cannot_be_used(fault, tmp_path, command):
    none, file = tmp_path / "none", write(tmp_path / "file", b"x")
    assert fault(command, READS, "--tmp-dir", none) == (65, f"--tmp-dir {none}: No such directory")
    assert fault(command, READS, "--tmp-dir", file) == (65, f"--tmp-dir {file}: Not a directory")


@pytest.mark.parametrize("command", READ_COMMANDS)
def test_directories_of_temporary_files_that_cannot_be_written(fault, monkeypatch, tmp_path, command):
    def fail(**_options):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(tempfile, "TemporaryFile", fail)
    assert fault(command, READS, "--tmp-dir", tmp_path) == (66, f"--tmp-dir {tmp_path}: Permission denied")


def test_more_threads_than_cpus_are_capped(dbg, monkeypatch):
    monkeypatch.setattr("debruijn_gpu.cli.common.allowed_cpus", lambda: 2)
    for command in (
        ["count", READS, "-k", 21],
        ["graph", "-k", 21, READS],
        ["debruijn", "--alphabet", 2, "-n", 3],
    ):
        code, _out, err = dbg(*command, "-t", 999)
        assert code == 0
        assert [line for line in err.splitlines() if "-t" in line] == [
            "[dbg] warning: -t 999: 2 CPUs are allowed, so 2 threads run"
        ]
        assert "-t" not in dbg(*command, "-t", 2)[2]


@pytest.mark.parametrize("command", GRAPH_COMMANDS)
def test_impossible_parameters_of_graphs(fault, command):
    assert fault(command, READS, "-k", 32) == (2, "k is 32, an even number")
    assert fault(command, READS, "-k", 2) == (2, "k is 2, an even number")
    assert fault(command, READS, "-k", 1) == (2, "k is 1")
    assert fault(command, READS, "-k", 31, "--min-count", 0) == (2, "--min-count is 0")
    assert fault(command, READS, "-k", 31, "--min-count", 2**32) == (2, "--min-count is 4294967296")
    assert fault(command, READS, "-k", 31, "--min-count", "x")[0] == 2
    assert fault(command, READS, "-k", 31, "--min-count", 5000) == (69, "no 31-mer occurs 5000 times or more")


@pytest.mark.parametrize("command", ["graph", "euler", "draw --format dot"])
def test_reads_shorter_than_k_make_no_graph(fault, command):
    assert fault(*command.split(), READS, "-k", 101) == (67, "k is 101, but the longest read has 100 bases")
    assert fault(*command.split(), READS, "-k", 256) == (2, "k is 256")


@pytest.mark.parametrize("command", ["count", "spectrum", "unitigs", "assemble", "graph", "euler", "draw --format dot"])
def test_input_without_reads(fault, tmp_path, command):
    path = write(tmp_path / "reads.fa", b"\n\n")
    assert fault(*command.split(), path, "-k", 31)[0] == 64


@pytest.mark.parametrize("command", ["count", "spectrum"])
def test_reads_of_ambiguous_bases_give_an_empty_result_and_a_warning(dbg, tmp_path, command):
    code, out, err = dbg(command, write(tmp_path / "reads.fa", b">a\nACGTNACGT\n"), "-k", 5, "-q")
    assert (code, out) == (0, "")
    assert err.startswith("[dbg] warning: no read has 5 bases (k) without an ambiguous one between them: the result is")


@pytest.mark.parametrize("command", ["count", "spectrum"])
def test_reads_without_a_base_are_told_from_those_of_too_long_a_k(dbg, fault, tmp_path, command):
    code, out, err = dbg(command, write(tmp_path / "reads.fa", b">a\nNNNNNNNN\n"), "-k", 5, "-q")
    assert (code, out) == (0, "")
    assert err.startswith("[dbg] warning: no read has a base A, C, G or T: the result is empty")
    empty = write(tmp_path / "empty.fa", b">a\n>b\n")
    assert fault(command, empty, "-k", 5) == (69, "no read has a base A, C, G or T")


def test_impossible_parameters_of_assembly(fault):
    code, said = fault("assemble", READS, "-k", "125,127", "--min-contig", 6000)
    assert (code, said) == (67, "k is 125 or more, but the longest read has 100 bases")
    assert fault("assemble", READS, "--min-contig", -1)[0] == 2
    assert fault("assemble", READS, "--walk", "random")[0] == 2
    code, said = fault("assemble", READS, "-k", 31, "--min-contig", 6000)
    assert (code, said) == (69, "no contig of 6000 bp or more; the longest has 5386")


def test_no_command_at_all(dbg):
    code, out, err = dbg()
    assert code in (0, 2)  # Click 8.1, 8.2
    assert "assemble" in out + err
    assert "dbg: " not in err


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_full_disk_behind_help(option):
    with open("/dev/full", "wb") as full:
        done = run([option], stdout=full)
    assert done.returncode == 66
    assert done.stderr.splitlines()[0] == b"dbg: standard output: No space left on device"


def test_no_such_command(fault):
    assert fault("asemble", READS) == (2, "dbg asemble: no such command")


@pytest.mark.parametrize("command", FILE_COMMANDS)
def test_results_that_cannot_be_written(fault, tmp_path, command, monkeypatch):
    """Found before the work begins, which may take hours."""
    monkeypatch.setattr("debruijn_gpu.backends.choose.load", lambda run: pytest.fail("that was late"))
    for place, why in (
        (tmp_path / "no" / "x", "No such file or directory"),
        (READS / "x", "Not a directory"),
        (tmp_path, "Is a directory"),
    ):
        code, said = fault(command, READS, "-o", place)
        assert (code, said) == (66, f"{place}: {why}")
    assert list(tmp_path.iterdir()) == []


def test_histogram_that_cannot_be_written(fault, tmp_path):
    code, said = fault("count", READS, "--histogram", tmp_path / "no" / "x", "-o", tmp_path / "y")
    assert (code, said) == (66, f"{tmp_path / 'no' / 'x'}: No such file or directory")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", FILE_COMMANDS)
def test_result_of_before_survives_a_failure(fault, tmp_path, command):
    output = write(tmp_path / "out", b"before")
    bad = write(tmp_path / "reads", FASTQ[:-3])
    assert fault(command, READS, bad, "-o", output)[0] == 64
    assert output.read_bytes() == b"before"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("command", FILE_COMMANDS)
def test_full_device(fault, command):
    assert fault(command, READS, "-k", 31, "-o", "/dev/full") == (66, "/dev/full: No space left on device")


def test_output_directories(dbg, fault, tmp_path):
    (tmp_path / "mine").mkdir()
    write(tmp_path / "mine" / "notes.txt", b"mine")
    assert dbg("assemble", READS, "-k", 31, "-o", tmp_path / "mine")[0] == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "mine").iterdir()}
    code, said = fault("assemble", READS, "-k", 31, "-o", tmp_path / "mine")
    assert code == 66
    assert said.startswith(f"{tmp_path / 'mine'}: holds results already (contigs.fasta, ")
    assert {path.name: path.read_bytes() for path in (tmp_path / "mine").iterdir()} == before
    assert dbg("assemble", READS, "-k", 31, "-o", tmp_path / "mine", "--force")[0] == 0
    after = {path.name: path.read_bytes() for path in (tmp_path / "mine").iterdir()}
    assert set(after) == set(before)
    assert {name for name in before if before[name] != after[name]} <= {"dbg.log", "report.html", "run.json"}
    file = write(tmp_path / "file", b"mine")
    assert fault("assemble", READS, "-o", file) == (66, f"{file}: Not a directory")
    assert fault("assemble", READS, "-o", tmp_path / "mine" / "notes.txt")[0] == 2
    assert fault("assemble", READS, "-o", "/dev/null/x")[0] == 66


def test_a_failed_run_leaves_its_log_and_is_in_nobodys_way(dbg, fault, tmp_path):
    assert fault("assemble", READS, "-k", 101, "-o", tmp_path / "out")[0] == 67
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["dbg.failed.log"]
    assert dbg("assemble", READS, "-k", 31, "-o", tmp_path / "out")[0] == 0
    assert "dbg.failed.log" not in [path.name for path in (tmp_path / "out").iterdir()]


@pytest.mark.parametrize("command", GRAPH_COMMANDS)
def test_too_little_memory(fault, command, tmp_path):
    code, said = fault(command, READS, "-m", "10K", "--tmp-dir", tmp_path)
    assert code == 137
    assert said.startswith("Out of memory: ")
    assert list(tmp_path.iterdir()) == []


@tuned(super_kmers_share=1e-9)
def test_no_place_for_temporary_files(fault, tmp_path, monkeypatch):
    monkeypatch.setattr("debruijn_gpu.cli.common.check_scratch_directory", lambda _: None)  # it goes after the check
    code, said = fault("count", READS, "--tmp-dir", tmp_path / "no")
    assert (code, said) == (66, f"{tmp_path / 'no'}: temporary file: No such file or directory")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (MemoryError(), 137, "Out of memory: an allocation failed"),
        (MemoryError("Unable to\nallocate"), 137, "Out of memory: Unable to allocate"),
        (OSError(errno.ENOMEM, "x"), 137, "Out of memory: Cannot allocate memory"),
        (RuntimeError("can't start new thread"), 137, "Out of memory: no room for the stack of a thread"),
        (ImportError("x.so: failed to map segment"), 137, "Out of memory: the libraries do not fit"),
        (OSError(errno.EIO, "Input/output error", "/x"), 66, "/x: Input/output error"),
        (OSError(errno.ENOSPC, "No space left"), 66, "standard output: No space left"),
        (OSError(errno.EBADF, "Bad file"), 66, "[Errno 9] Bad file"),
        (ValueError("x\ny"), 1, "unexpected ValueError: x y"),
    ],
)
def test_errors_from_below(fault, monkeypatch, error, code, said):
    def fail(run):
        raise error

    monkeypatch.setattr(memory_faults.resource, "getrlimit", lambda limit: (1 << 30, 1 << 30))
    monkeypatch.setattr("debruijn_gpu.backends.choose.load", fail)
    found = fault("count", READS)
    assert (found[0], found[1][: len(said)]) == (code, said)


def test_debug_shows_where_and_keeps_the_exit_code(dbg, tmp_path):
    code, out, err = dbg("count", tmp_path / "none", "--debug")
    assert (code, out) == (65, "")
    assert "Traceback" in err
    assert "dbg: " in err.splitlines()[-2]


# What only a process of its own can show.


def run(args, **options) -> subprocess.CompletedProcess[bytes]:
    command = [*DBG, *map(str, args)]
    return subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, check=False, timeout=240, **options)


@pytest.mark.process
def test_closed_standard_error():
    done = run(["count", READS, "-v"], stdout=subprocess.PIPE, preexec_fn=lambda: os.close(2))
    assert done.returncode == 0
    assert {line.count(b"\t") for line in done.stdout.splitlines()} == {1}


@pytest.mark.process
@pytest.mark.parametrize("args", [["assemble", "--min-contig", 0], ["unitigs", "--format", "gfa"], ["count"]])
def test_a_reader_that_has_seen_enough(args, many_reads):
    """``dbg ... | head -1``"""
    command = [*DBG, *map(str, args), str(many_reads), "-k", "31", "-q"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.read(1)
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(60) == 0
    assert err == b""


@pytest.mark.process
def test_a_reader_of_the_log_that_has_seen_enough():
    """``dbg ... 2>&1 | head -1``"""
    with subprocess.Popen(
        [*DBG, "count", READS, "-v"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        process.stdout.close()
        assert process.wait(60) == 0


def run_where_files_end(limit_bytes, *args) -> subprocess.CompletedProcess[bytes]:
    """Run a command that may not make larger files: as good as a full disk, but for the name of the error.

    The backend is loaded before, so that it finds the compiled code.
    """
    code = (
        "import resource, sys; import debruijn_gpu.backends.core.cpu.decorators; from debruijn_gpu.cli import main\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit_bytes}, {limit_bytes}))\n"
        "main()\n"
    )
    command = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=240)


@pytest.mark.process
@pytest.mark.parametrize("limit_bytes", [200, 3000, 5450])
def test_full_disk_of_the_output_directory(tmp_path, limit_bytes):
    done = run_where_files_end(limit_bytes, "assemble", READS, "-k", 31, "-v", "-o", tmp_path / "out")
    lines = done.stderr.decode().splitlines()
    assert (done.returncode, done.stdout) == (66, b"")
    assert lines[-2].startswith(f"dbg: {tmp_path / 'out'}/")
    assert lines[-2].endswith(": File too large")
    assert all(line.startswith("[dbg] ") for line in lines[:-2])
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["dbg.failed.log"]


@pytest.mark.process
@pytest.mark.parametrize("command", FILE_COMMANDS)
def test_full_disk_of_the_output_file(tmp_path, command):
    done = run_where_files_end(100, command, READS, "-k", 31, "-q", "-o", tmp_path / "file")
    assert (done.returncode, done.stdout) == (66, b"")
    assert done.stderr.splitlines()[0].decode() == f"dbg: {tmp_path / 'file'}: File too large"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.process
def test_full_disk_of_temporary_files(tmp_path):
    """Reads that need more than the memory allowed for them."""
    code = (
        "import resource, sys; import debruijn_gpu.backends.core.cpu.decorators; from debruijn_gpu.cli import main\n"
        "from debruijn_gpu.run.tuning import tuned\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        f"with tuned(super_kmers_share=1e-9): main(['count', {str(READS)!r}, '-q', '--tmp-dir', {str(tmp_path)!r}])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, timeout=240)
    assert (done.returncode, done.stdout) == (66, b"")
    assert done.stderr.splitlines()[0].decode() == f"dbg: {tmp_path}: temporary file: File too large"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.process
def test_address_space_too_small(many_reads):
    code = (
        "import resource, sys; from debruijn_gpu.cli import main\n"
        f"try: main(['assemble', {str(READS)!r}, '-k', '31', '-q', '-o', '/dev/null/x'])\n"
        "except SystemExit: pass\n"
        "from debruijn_gpu import pipeline\n"
        "from debruijn_gpu import ReadInputs, RunOptions, UnitigOptions\n"
        f"pipeline.unitigs(ReadInputs(single=({str(READS)!r},)), UnitigOptions(k=31), RunOptions(threads=1))\n"
        "pages = int(open('/proc/self/statm').read().split()[0])\n"
        "resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + (40 << 20),) * 2)\n"
        f"main(['unitigs', {str(many_reads)!r}, '-k', '31', '-q', '-t', '1'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, timeout=120)
    what, fix = done.stderr.decode().splitlines()[-2:]
    assert done.returncode == 137
    assert what.startswith("dbg: Out of memory: ")
    assert fix.startswith("     ")
    assert done.stdout == b""


@pytest.mark.process
def test_an_eof_error_is_no_interrupt(tmp_path):
    """Click ends with 130 for any EOFError, as of Ctrl-D at a prompt."""
    code = (
        "from debruijn_gpu import cli\n"
        "from debruijn_gpu.cli import sort\n"
        "def fail(**options): raise EOFError('Ran out of input')\n"
        "sort.command.callback = fail\n"
        "cli.main(['sort'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "dbg: unexpected EOFError: Ran out of input" in done.stderr.decode().splitlines()


@pytest.mark.process
def test_damaged_compiled_code_changes_nothing(tmp_path):
    """All kernels of a command are damaged at once, in one of three ways each."""
    environment = os.environ | {"DBG_CACHE_DIR": str(tmp_path)}
    program = [sys.executable, "-m", "debruijn_gpu"]

    def run(*arguments):
        command = arguments or ("lookandsay", "1", "-n", "6", "-q")
        return subprocess.run([*program, *command], cwd=ROOT, env=environment, capture_output=True, check=False)

    assert run("warmup", "lookandsay").returncode == 0  # all of them: a run may end before one is stored
    done = run()
    assert (done.returncode, done.stdout) == (0, b"13112221\n")
    files = [path for path in tmp_path.glob("debruijn_gpu/kernels-*/*/*") if path.is_file()]
    assert len(files) >= 3
    for path, content in zip(files, itertools.cycle([b"", bytes(100), b"\x80\x04}\x94."]), strict=False):
        path.write_bytes(content)
    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (0, b"13112221\n", b"")
