"""How far a step is, and the bar on a terminal."""

from __future__ import annotations

import gzip
import io
import itertools
import os
import pty
import re
import sys
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager

import pytest
from rich.progress import ProgressSample

from debruijn_gpu.cli import main
from debruijn_gpu.io.opening import read_blocks
from debruijn_gpu.io.output import open_output
from debruijn_gpu.run import log, progress, terminal_bars
from debruijn_gpu.run.progress_bar import make_progress

#: More than any machine takes to draw a bar
PATIENCE_S = 60
#: Output of the terminals that are open
_shown: list[list[bytes]] = []


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(terminal_bars, "_SHOWN_AFTER_S", 0.05)
    monkeypatch.setattr(terminal_bars, "_TICK_S", 0.02)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    yield
    progress.show(False)


@contextmanager
def terminal(monkeypatch):
    """Stderr is a terminal; gives a list to which all that was printed is added in the end."""
    master, slave = pty.openpty()
    printed: list[str] = []
    pieces: list[bytes] = []
    _shown.append(pieces)

    def read() -> None:
        while True:
            try:
                data = os.read(master, 1 << 16)
            except OSError:
                return
            if not data:
                return
            pieces.append(data)

    reader = threading.Thread(target=read)
    reader.start()
    with open(slave, "w", closefd=False) as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        yield printed
        progress.show(False)
        stream.flush()
    os.close(slave)
    reader.join()
    os.close(master)
    printed.append(b"".join(_shown.pop()).decode())
    log.configure(-2)


def wait_until_shown(text: str, n: int = 1, work: Callable[[], None] = lambda: None) -> None:
    """Work until the terminal showed a text so many times; without a terminal, return at once."""
    deadline = time.monotonic() + PATIENCE_S
    while _shown and b"".join(_shown[-1]).decode(errors="replace").count(text) < n:
        assert time.monotonic() < deadline, f"{text} is not shown"
        work()
        time.sleep(0.005)


def screen(text: str) -> list[str]:
    """Lines that are left on a terminal."""
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[0-9;?]*[a-zA-Z]|[\r\n]|[^\x1b\r\n]+", text):
        if part == "\r":
            column = 0
        elif part == "\n":
            row, column = row + 1, 0
            lines += [""] * (row == len(lines))
        elif part == "\x1b[2K":
            lines[row] = ""
        elif part == "\x1b[1A":
            row -= 1
        elif not part.startswith("\x1b"):
            lines[row] = lines[row][:column].ljust(column) + part + lines[row][column + len(part) :]
            column += len(part)
    return lines


def run_stage(n_frames: int = 3) -> None:
    """Run a stage until the terminal showed some frames of its bar, or for a while if there is to be none."""
    with log.stage("work", unit="pieces") as stage:
        time.sleep(0 if n_frames else 0.3)  # a bar that should not be there would be drawn meanwhile
        done = itertools.count(1_000_000, 10_000)
        wait_until_shown("left", n_frames, lambda: stage.progress(min(next(done), 2_900_000), 3_000_000))
        log.logger.info("above it")
        stage.items = 3_000_000


def test_long_stage_has_a_bar_that_goes_away(monkeypatch):
    with terminal(monkeypatch) as printed:
        log.configure(0)
        run_stage()
    frames = [line for line in re.split(r"[\r\n]", printed[0]) if "left" in line]
    assert len(frames) >= 3
    for pattern in ("work", "━", r"\d%", r"\d/3.0 M pieces", r"\d [Mk]/s", r"0:0\d", r"0:0\d left"):
        assert any(re.search(pattern, frame) for frame in frames), pattern
    left = [line for line in screen(printed[0]) if line]
    assert left[0] == "[dbg] above it"
    assert left[1].startswith("[dbg] work: 3,000,000 pieces in 0.")
    assert len(left) == 2
    assert printed[0].count("\x1b[?25h") == 2 * printed[0].count("\x1b[?25l")  # the cursor comes back at once


def test_bar_of_commands_that_say_little(monkeypatch):
    with terminal(monkeypatch) as printed:
        log.configure(-2, show_bars=True)
        run_stage()
    assert "left" in printed[0]
    assert [line for line in screen(printed[0]) if line] == []


def test_short_stage_has_none(monkeypatch):
    with terminal(monkeypatch) as printed:
        log.configure(0)
        with log.stage("work"):
            pass
    assert "\x1b" not in printed[0]


def test_quiet(monkeypatch):
    with terminal(monkeypatch) as printed:
        log.configure(-2)
        run_stage(0)
    assert printed[0] == ""


def test_dumb_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    with terminal(monkeypatch) as printed:
        log.configure(0)
        run_stage(0)
    assert "\x1b" not in printed[0]
    assert "[dbg] work: 3,000,000 pieces" in printed[0]


def test_no_colour(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    with terminal(monkeypatch) as printed:
        log.configure(0)
        run_stage()
    assert "left" in printed[0]
    assert not re.search(r"\x1b\[[0-9;]*3[0-9][0-9;]*m", printed[0])


def test_log_in_a_file_has_no_control_characters(monkeypatch, tmp_path):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    log.configure(0)
    with log.log_file(tmp_path / "dbg.log"):
        run_stage()
    log.configure(-2)
    for text in (stream.getvalue(), (tmp_path / "dbg.log").read_text()):
        assert "work: 3,000,000 pieces" in text
        assert all(letter.isprintable() or letter == "\n" for letter in text)


def fail_late() -> None:
    with log.stage("work"):
        wait_until_shown("work")
        raise ValueError("broken")


def test_bar_ends_with_an_error(monkeypatch):
    with terminal(monkeypatch) as printed:
        log.configure(0)
        with pytest.raises(ValueError, match="broken"):
            fail_late()
    assert "work" in printed[0]
    assert [line for line in screen(printed[0]) if line] == []


def test_no_bar_while_results_go_to_the_terminal(monkeypatch):
    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdout", Terminal(io.BytesIO()))
    with terminal(monkeypatch) as printed:
        log.configure(0)
        with log.stage("write"), open_output(None) as stream:
            stream.write(b"1\n")
            time.sleep(0.2)
    assert "\x1b" not in printed[0]


def test_terminal_that_goes_away_ends_nothing(monkeypatch):
    tried = threading.Event()

    def broken():
        tried.set()
        raise OSError("gone")

    with terminal(monkeypatch) as printed:
        log.configure(0)
        monkeypatch.setattr(progress._terminal, "_begin", broken)
        with log.stage("work"):
            assert tried.wait(PATIENCE_S)
            log.logger.info("above it")
    assert "above it" in printed[0]


def test_outer_step_that_tells_is_shown():
    with progress.running("outer") as outer, progress.running("inner") as inner:
        steps = progress._own_steps()
        assert steps.to_show() is inner
        progress.update(1, 10)
        assert steps.to_show() is inner
        outer.update(1, 2)
        assert steps.to_show() is outer
    assert steps.to_show() is None
    progress.update(1, 2)  # outside of all steps


def test_step_by_bytes():
    step = progress.Step("read")
    step.open_file(100)
    step.add_bytes(40)
    assert step.state() == (40, 100, "B")
    step.expect_bytes(500)
    assert step.state() == (40, 500, "B")
    step.add_bytes(460)  # what is left to do then is not known
    assert step.state() == (500, 0, "B")
    step.update(3, 4, "parts")
    assert step.state() == (3, 4, "parts")


def test_step_with_a_pipe():
    step = progress.Step("read")
    step.open_file(100)
    step.open_file(0)
    step.add_bytes(40)
    assert step.state() == (40, 0, "B")


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_bytes_of_files_are_counted_as_they_are_on_disk(tmp_path, compress):
    path = tmp_path / "file"
    path.write_bytes(compress(bytes(range(256)) * 40_000))
    size = path.stat().st_size
    with progress.running("read") as step:
        blocks = list(read_blocks(str(path), 1 << 20))
        assert len(blocks) > 1
        assert step._n_opened == size
        assert size <= step._n_read <= size + 8  # the first bytes may be looked at twice


def test_through_adds_up():
    with progress.running("step") as step:
        seen = [(len(word), step.state()) for word in progress.through(["ab", "c"], 3, "letters", len)]
        assert step.state() == (3, 3, "letters")
    assert seen == [(2, (0, 3, "letters")), (1, (2, 3, "letters"))]


def test_calls_cost_next_to_nothing():
    with progress.running("step"):
        n = 20_000
        begin = time.thread_time()
        for done in range(n):
            progress.update(done, n, "calls")
        assert (time.thread_time() - begin) / n < 200e-6  # 0.3 µs on an idle machine


@pytest.mark.parametrize(
    ("values", "width", "parts"),
    [
        ((45, 100, "B", 3), 100, ["45%", "45/100 B", "15.0 B/s", "0:00:03", "0:00:04 left"]),
        ((1.2e9, 2.7e9, "B", 34), 100, ["44%", "1.2/2.7 GB", "35.3 MB/s", "0:00:34", "0:00:43 left"]),
        ((12_300_000, None, "reads", 3723), 100, ["12.3 M reads", "3.3 k/s", "1:02:03"]),
        ((30, 60, "", 2), 100, ["50%", "0:00:02", "0:00:02 left"]),
        ((0, None, "", 2), 100, ["0:00:02"]),
        ((1.2e9, 2.7e9, "B", 34), 75, ["44%", "35.3 MB/s", "0:00:34", "0:00:43 left"]),
        ((1.2e9, 2.7e9, "B", 34), 40, ["44%", "0:00:43 left"]),
    ],
)
def test_columns_of_a_bar(monkeypatch, values, width, parts):
    done, total, unit, elapsed_s = values
    monkeypatch.setenv("COLUMNS", str(width))
    bars = make_progress()
    now = time.perf_counter()
    monkeypatch.setattr(bars, "get_time", lambda: now)
    bars.add_task("read", total=total)
    (task,) = bars.tasks
    task._get_time = lambda: now
    task.start_time = now - elapsed_s
    if done:
        task._progress.append(ProgressSample(now - elapsed_s, 0))
        task._progress.append(ProgressSample(now, done))
    task.completed = done
    task.fields["unit"] = unit
    with bars.console.capture() as shown:
        bars.console.print(bars.make_tasks_table(bars.tasks))
    (line,) = re.sub(r"\x1b\[[0-9;]*m", "", shown.get()).splitlines()
    assert len(line) <= width
    assert re.sub("[━╸╺ ]+", " ", line).strip() == " ".join(["[dbg] read", *parts])


def test_bars_of_two_runs_are_drawn_beside_each_other(monkeypatch):
    both = threading.Barrier(2)

    def work(name: str) -> None:
        with log.new_run():
            log.configure(0)
            with log.stage(name) as stage:
                done = itertools.count(1)
                for text in ("first", "second", "left"):
                    wait_until_shown(text, work=lambda: stage.progress(next(done), 10**9))
                both.wait(PATIENCE_S)
                n_frames = b"".join(_shown[-1]).count(b"left") + 6  # a frame that began before may have one bar
                wait_until_shown("left", n_frames, lambda: stage.progress(next(done), 10**9))
                both.wait(PATIENCE_S)

    with terminal(monkeypatch) as printed:
        log.configure(0)
        threads = [threading.Thread(target=work, args=(name,)) for name in ("first", "second")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", printed[0])
    assert re.search(
        r"first [^\r\n]*left *\r?\n[^\r\n]*second [^\r\n]*left|second [^\r\n]*left *\r?\n[^\r\n]*first ", text
    )
    left = sorted(line.split(" in ")[0] for line in screen(printed[0]) if line)
    assert left == ["[dbg] first", "[dbg] second"]


def test_command_on_a_terminal(monkeypatch, tmp_path):
    """A name in brackets is no markup, and the bar of a narrow terminal fits."""
    monkeypatch.setenv("COLUMNS", "40")
    path = tmp_path / "[b]\x1b[2K.fa"
    path.write_text(">a\nACGT\n")
    from debruijn_gpu.cli import stats

    monkeypatch.setattr(stats, "compositions_of_parts", lambda *_: wait_until_shown("[b]") or sys.exit(0))
    with terminal(monkeypatch) as printed, pytest.raises(SystemExit):
        main(["stats", str(path)])
    frames = [line for line in re.split(r"[\r\n]", re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", printed[0])) if line]
    assert any("read [b]\\x1b…" in frame for frame in frames)
    assert all(len(frame) <= 40 and "\x1b" not in frame for frame in frames)
