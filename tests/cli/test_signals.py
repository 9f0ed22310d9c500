"""Signals end a run with their exit code, and leave nothing but the log of a failed run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
READS = ROOT / "data" / "phix174_R1.fastq.gz"
DBG = [sys.executable, "-m", "debruijn_gpu"]
READ_COMMANDS = ["assemble", "unitigs", "count", "spectrum"]
MOST_S = 2  # CPU seconds from a signal to the end
N_RESULTS = 13  # files of an assembly
PAIRED = ["assemble", "-1", "data/phix174_R1.fastq.gz", "-2", "data/phix174_R2.fastq.gz", "-k", "21,41", "-v"]
CODES = {signal.SIGHUP: 129, signal.SIGINT: 130, signal.SIGTERM: 143}
LAST_LINES = {
    signal.SIGHUP: "dbg: interrupted (SIGHUP)",
    signal.SIGINT: "dbg: interrupted",
    signal.SIGTERM: "dbg: interrupted (SIGTERM)",
}


def default_answers() -> None:
    """What a shell in the foreground gives a process, whatever this one was given."""
    for number in CODES:
        signal.signal(number, signal.SIG_DFL)


def children_s() -> float:
    """CPU seconds of the children that were waited for."""
    times = os.times()
    return times.children_user + times.children_system


def used_s(pid: int) -> float:
    """CPU seconds of a process that runs."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupted(args, when, tmp_path, stdin=None, number=signal.SIGINT) -> tuple[int, list[str]]:
    """Run a command, interrupt it once `when` gives true for what is on stderr so far; exit code and files left."""
    with subprocess.Popen(
        [*DBG, *map(str, args)],
        cwd=ROOT,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=default_answers,  # noqa: PLW1509
    ) as process:
        err = b""
        deadline = time.monotonic() + 60
        os.set_blocking(process.stderr.fileno(), False)
        while not when(err) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
            err += process.stderr.read() or b""
        runs = process.poll() is None
        used = used_s(process.pid) + children_s() if runs else 0
        process.send_signal(number)
        code = process.wait(20)
        assert not runs or children_s() - used < MOST_S, "it took long to end"
        os.set_blocking(process.stderr.fileno(), True)
        err += process.stderr.read()
        assert process.stdout.read() == b""
        if process.stdin:
            process.stdin.close()
    if code != 0:  # it was not quicker
        assert code == CODES[number], err.decode()
        assert err.decode().splitlines()[-1] == LAST_LINES[number]
    assert b"Traceback" not in err
    assert b"Exception ignored" not in err
    return code, sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))


@pytest.mark.parametrize("command", READ_COMMANDS)
@pytest.mark.parametrize("threads", [1, 2])
def test_interrupt_while_reading(command, threads, tmp_path):
    args = [command, "-", "-k", 31, "-v", "-t", threads, "-o", tmp_path / "out"]
    left = interrupted(args, lambda err: b"backend: " in err, tmp_path, stdin=subprocess.PIPE)
    assert left == (130, ["out", "out/dbg.failed.log"] if command == "assemble" else [])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("command", READ_COMMANDS)
def test_other_signals_clean_up_as_well(command, number, tmp_path):
    args = [command, "-", "-k", 31, "-v", "-o", tmp_path / "out"]
    left = interrupted(args, lambda err: b"backend: " in err, tmp_path, stdin=subprocess.PIPE, number=number)
    assert left == (CODES[number], ["out", "out/dbg.failed.log"] if command == "assemble" else [])


def test_hangup_is_ignored_under_nohup(tmp_path):
    args = [*DBG, "assemble", "-", "-k", "31", "-v", "-o", str(tmp_path / "out")]
    with subprocess.Popen(
        args,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),  # noqa: PLW1509
    ) as process:
        while b"backend: " not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGHUP)
        process.communicate(READS.read_bytes(), timeout=120)
    assert process.returncode == 0
    assert len(list((tmp_path / "out").iterdir())) == N_RESULTS


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("delay_ms", range(0, 240, 30))
def test_interrupt_while_starting(delay_ms, number):
    """From the first module of the package on, imports are no place for a traceback."""
    program = [sys.executable, "-X", "importtime", "-m", "debruijn_gpu", "spectrum", "-", "-q"]
    with subprocess.Popen(
        program,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=default_answers,  # noqa: PLW1509
    ) as process:
        err = b""
        while b"debruijn_gpu.run.signals" not in err:
            err += process.stderr.readline()
        process.stderr.readline()  # the next import, which comes after the answer to signals is set
        time.sleep(delay_ms / 1000)
        process.send_signal(number)
        rest = process.stderr.read()
        assert process.wait(20) == CODES[number]
        assert process.stdout.read() == b""
    assert b"Traceback" not in rest
    said = [line for line in rest.decode().splitlines() if line and not line.startswith("import time:")]
    assert said == [LAST_LINES[number]]


@pytest.mark.parametrize("line", [b"backend: ", b"read and split", b"sort: ", b"k-mer graph: "])
@pytest.mark.parametrize("threads", [1, 2])
def test_interrupt_while_computing(line, threads, tmp_path, many_reads):
    args = ["assemble", many_reads, "-k", 31, "-v", "-t", threads, "-o", tmp_path / "out"]
    code, left = interrupted(args, lambda err: line in err, tmp_path)
    if code == 130:
        assert left == ["out", "out/dbg.failed.log"]
    else:  # it was quicker
        assert (code, len(left), line != b"backend: ") == (0, 1 + N_RESULTS, True)


@pytest.fixture(scope="session")
def stages(tmp_path_factory) -> list[bytes]:
    """Lines that an assembly of pairs logs at the ends of its stages, up to their figures."""
    place = tmp_path_factory.mktemp("stages")
    args = [*DBG, *PAIRED, "-o", str(place / "out")]
    log = subprocess.run(args, cwd=ROOT, capture_output=True, check=True).stderr
    return list(dict.fromkeys(line.partition(b":")[0] for line in log.splitlines() if b" in " in line))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_in_each_stage_of_an_assembly(stages, tmp_path, number):
    assert len(stages) > 10, stages
    for i, line in enumerate(stages):
        place = tmp_path / str(i)
        place.mkdir()
        code, left = interrupted(
            [*PAIRED, "-o", place / "out"], lambda err, line=line: line in err, place, number=number
        )
        if code:
            assert left == ["out", "out/dbg.failed.log"], line
        else:  # it was quicker
            assert len(left) > N_RESULTS, line


@pytest.mark.parametrize("delay", range(0, 60, 6))
def test_interrupt_at_the_end(delay, tmp_path, many_reads):
    def is_over(err):
        over = b"results are in" in err
        time.sleep(delay / 1000 if over else 0)
        return over

    code, left = interrupted(["assemble", many_reads, "-k", 31, "-v", "-o", tmp_path / "out"], is_over, tmp_path)
    assert (code, len(left)) in ((0, 1 + N_RESULTS), (130, 1 + N_RESULTS))


@pytest.mark.parametrize(
    "work",
    [
        "exec('raise KeyboardInterrupt')",
        "class Raises:\n    def __del__(self):\n        raise KeyboardInterrupt\nRaises()\ntime.sleep(100)\n",
        "signals.raise_in_main_thread()\n"
        "class Raises:\n    def __del__(self):\n        raise signals.Interrupted(15)\nRaises()\ntime.sleep(100)\n",
        "class Raises:\n    def __set_name__(self, *_):\n        raise signals.Interrupted(15)\n"
        "type('Named', (), {'name': Raises()})\n",
        "import threading\nlock = threading.RLock()\n"
        "with lock:\n    lock.release()\n    raise signals.Interrupted(15)\n",
    ],
    ids=["exec", "destructor", "SIGTERM in a destructor", "__set_name__", "lock"],
)
def test_interrupt_that_python_would_forget(work, tmp_path):
    code = (
        "import time\nfrom debruijn_gpu import cli\nfrom debruijn_gpu.run import signals\n"
        f"cli.group.main = lambda *_, **__: exec({work!r})\n"
    )
    (tmp_path / "interrupted_work.py").write_text(code + "cli.main([])\n")
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    program = [sys.executable, "-m", "interrupted_work"]
    done = subprocess.run(program, env={**os.environ, "PYTHONPATH": path}, capture_output=True, check=False, timeout=60)
    number = signal.SIGTERM if "15" in work else signal.SIGINT
    assert (done.returncode, done.stderr.decode().split("\n")[-2:]) == (CODES[number], [LAST_LINES[number], ""])
    assert b"Exception ignored" not in done.stderr
