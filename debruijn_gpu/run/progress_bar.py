"""The bar itself, drawn by rich. Imported when there is one to draw: that takes a tenth of a second."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.table import Column
from rich.text import Text

from debruijn_gpu.run.plain_text import one_line

#: The unit of bytes of files
BYTES = "B"

_LEAST_BAR, _BAR = 10, 24  # characters
_FIGURES = 58  # all that there may be
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


class _Figures(ProgressColumn):
    """All numbers, as many as there is room for."""

    max_refresh = None

    def __init__(self, room: int) -> None:
        super().__init__(Column(no_wrap=True))
        self._room = room

    def render(self, task: Task) -> Text:
        elapsed = task.elapsed or 0.0
        # Of the last half minute, as the first part of a step may have been compiling or waiting.
        per_s = task.speed or (task.completed / elapsed if elapsed else 0.0)
        unit = task.fields.get("unit", "")
        return Text(figures(int(task.completed), int(task.total or 0), unit, elapsed, per_s, self._room))


def make_progress(name: str, started: float) -> Progress:
    """The bar of a step that began at a time of `time.perf_counter`: task 0, with its unit in the field ``unit``."""
    console = Console(stderr=True)
    most = max(8, console.width // 3)
    label = one_line(name)
    label = label if len(label) <= most else label[: most - 1] + "…"
    room = console.width - len(label) - len("[dbg]  ")
    bar = max(_LEAST_BAR, min(_BAR, room - _FIGURES)) if room >= 3 * _LEAST_BAR else 0
    columns: list[ProgressColumn] = [TextColumn("[dbg] {task.description}", markup=False)]
    columns += [BarColumn(bar)] if bar else []
    progress = Progress(
        *columns,
        _Figures(room - bar - 2),
        console=console,
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        get_time=time.perf_counter,
    )
    task = progress.add_task(label, total=None)
    progress.tasks[task].start_time = started
    return progress


def figures(done: int, total: int, unit: str, elapsed_s: float, per_s: float, width: int) -> str:
    """Percent, amount, rate, elapsed time and time left, as many of them as there is room for.

    Parameters
    ----------
    done, total : int
        A total of 0 is not known.
    unit : str
        Empty: neither amount nor rate are shown. ``B`` is bytes.
    elapsed_s : float
    per_s : float
        How much is done in a second; 0 if that is not known.
    width : int
        Characters that there is room for.
    """
    done = min(done, total) if total else done
    parts = {
        "percent": f"{100 * done // total:3d}%" if total else "",
        "amount": _amount(done, total, unit) if unit and (done or total) else "",
        "rate": _rate(per_s, unit) if unit and per_s else "",
        "elapsed": clock(elapsed_s),
        "left": f"{clock((total - done) / per_s)} left" if total and per_s else "",
    }
    for dropped in ("", "amount", "elapsed", "rate", "percent"):
        parts[dropped] = ""
        text = "  ".join(part for part in parts.values() if part)
        if len(text) <= width:
            break
    return text


def _amount(done: int, total: int, unit: str) -> str:
    scale, prefix = _scale(max(done, total))
    digits = 1 if prefix else 0
    numbers = "/".join(f"{number / scale:,.{digits}f}" for number in ((done, total) if total else (done,)))
    return f"{numbers} {prefix}{unit}" if unit == BYTES or not prefix else f"{numbers} {prefix} {unit}"


def _rate(per_s: float, unit: str) -> str:
    scale, prefix = _scale(per_s)
    digits = 1 if prefix or per_s < 100 else 0
    what = f"{prefix}B" if unit == BYTES else prefix
    return f"{per_s / scale:.{digits}f}{' ' if what else ''}{what}/s"


def _scale(number: float) -> tuple[float, str]:
    return next(((scale, prefix) for scale, prefix in _PREFIXES if number >= scale), (1.0, ""))


def clock(seconds: float) -> str:
    """``1:02`` or ``3:01:02``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
