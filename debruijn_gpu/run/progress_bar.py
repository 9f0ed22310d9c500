"""Bars on a terminal, drawn by rich. Imported when there is one to draw: that takes a tenth of a second."""

from __future__ import annotations

import time

from rich.console import Console
from rich.filesize import pick_unit_and_suffix
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn as RichTimeRemaining,
)
from rich.table import Column
from rich.text import Text

#: The unit of bytes of files
BYTES = "B"

_PREFIXES = ["", "k", "M", "G", "T"]
_FULL_WIDTH, _HALF_WIDTH = 90, 60  # characters


class _Amount(ProgressColumn):
    """``1.2/2.7 GB``; nothing where no unit is counted."""

    def render(self, task: Task) -> Text:
        unit = task.fields.get("unit", "")
        if not unit or not (task.completed or task.total):
            return Text("")
        numbers = [task.completed] if task.total is None else [task.completed, task.total]
        scale, prefix = pick_unit_and_suffix(int(max(numbers)), _PREFIXES, 1000)
        shown = "/".join(f"{number / scale:,.{1 if prefix else 0}f}" for number in numbers)
        return Text(f"{shown} {prefix}{unit}" if unit == BYTES or not prefix else f"{shown} {prefix} {unit}")


class _Rate(ProgressColumn):
    """``35.2 MB/s`` of the last half minute: the first part of a step may have been compiling or waiting."""

    def render(self, task: Task) -> Text:
        unit, per_s = task.fields.get("unit", ""), task.speed
        if not unit or not per_s:
            return Text("")
        scale, prefix = pick_unit_and_suffix(int(per_s), _PREFIXES, 1000)
        what = f"{prefix}{BYTES if unit == BYTES else ''}"
        return Text(f"{per_s / scale:,.1f}{' ' if what else ''}{what}/s")


class _TimeRemaining(RichTimeRemaining):
    """``0:01:02 left``; nothing where it is not known."""

    def render(self, task: Task) -> Text:
        if task.total is None or task.time_remaining is None:
            return Text("")
        return super().render(task).append(" left")


class _Percent(TaskProgressColumn):
    """`` 45%``; nothing where the total is not known."""

    def render(self, task: Task) -> Text:
        return Text("") if task.total is None else super().render(task)


def make_progress() -> Progress:
    """Build the display of bars on stderr; each task has its unit in the field ``unit``.

    Narrow terminals show fewer columns.
    """
    console = Console(stderr=True)
    name = Column(no_wrap=True, overflow="ellipsis", max_width=len("[dbg] ") + max(8, console.width // 3))
    columns: list[ProgressColumn] = [TextColumn("[dbg] {task.description}", markup=False, table_column=name)]
    if console.width >= _HALF_WIDTH:
        columns.append(BarColumn(24 if console.width >= _FULL_WIDTH else 10))
    columns.append(_Percent())
    if console.width >= _FULL_WIDTH:
        columns.append(_Amount())
    if console.width >= _HALF_WIDTH:
        columns += [_Rate(), TimeElapsedColumn()]
    columns.append(_TimeRemaining())
    return Progress(
        *columns,
        console=console,
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        get_time=time.perf_counter,
    )
