"""Results as JSON and as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

_MB, _GB = 1 << 20, 1 << 30


def write(results: dict[str, Any], directory: Path) -> None:
    """Write ``results.json`` and ``results.md``."""
    (directory / "results.json").write_text(json.dumps(results, indent=2, default=asdict) + "\n")
    (directory / "results.md").write_text(markdown(results))


def markdown(results: dict[str, Any]) -> str:
    """All tables."""
    parts = [_heading(results), _runs(results["runs"]), _first(results), _stages(results["stages"])]
    if results["unitigs"]:
        parts.append(_unitigs(results["unitigs"]))
    if results["quality"]:
        parts.append(_quality(results["quality"]))
    return "\n".join(parts)


def _heading(results: dict[str, Any]) -> str:
    machine, data, versions = results["machine"], results["data"], results["versions"]
    reads = f"{', '.join(data['reads'])} ({data['reads_bytes'] / _MB:.0f} MiB{', simulated' * data['simulated']})"
    lines = [
        "# Benchmark",
        "",
        f"Machine: {machine['cpu']}, {machine['cpus']} CPUs, {machine['memory_bytes'] / _GB:.0f} GiB; "
        f"{results['threads']} threads for every program.",
        f"Data: {reads}" + (f"; reference {data['reference']}." if data["reference"] else "."),
        f"Versions: {', '.join(f'{name} {version}' for name, version in versions.items())}.",
    ]
    if results["skipped"]:
        lines.append(f"Not installed, so not measured: {', '.join(results['skipped'])}.")
    return "\n".join(lines) + "\n"


def _runs(runs: list[dict[str, Any]]) -> str:
    rows = [(run["job"], run["program"], *_figures(run)) for run in runs]
    return markdown_table("Whole programs, fastest round", ("job", "program", "wall s", "CPU s", "peak MiB"), rows)


def _first(results: dict[str, Any]) -> str:
    rows = [(name, *_figures(run)) for name, run in results["small"].items()]
    rows += [(f"{run['job']}, first run", *_figures(run)) for run in results["first_runs"]]
    return markdown_table("dbg: start, and first runs that compile", ("what", "wall s", "CPU s", "peak MiB"), rows)


def _figures(run: dict[str, Any]) -> tuple[str, str, str]:
    return f"{run['wall_s']:.2f}", f"{run['cpu_s']:.2f}", f"{run['peak_bytes'] / _MB:.0f}"


def _stages(stages: dict[str, list[Any]]) -> str:
    rows = [
        (job, stage.name, stage.items, f"{stage.wall_s:.2f}", f"{stage.cpu_s:.2f}", stage.parts)
        for job, of_job in stages.items()
        for stage in of_job
    ]
    return markdown_table("Stages of dbg", ("job", "stage", "items", "wall s", "CPU s", "of them"), rows)


def _unitigs(pairs: list[dict[str, Any]]) -> str:
    rows = [(*pair["programs"], *(f"{n:,}" for n in (*pair["n_unitigs"], pair["n_same"]))) for pair in pairs]
    return markdown_table(
        "Unitigs compared as sets", ("first", "second", "of the first", "of the second", "the same"), rows
    )


def _quality(quality: dict[str, dict[str, str]]) -> str:
    names = list(next(iter(quality.values())))
    rows = [(name, *(rows.get(name, "-") for rows in quality.values())) for name in names]
    return markdown_table("Quality of the assemblies (QUAST)", ("", *quality), rows)


def markdown_table(title: str, header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Format a Markdown table under a heading."""
    head = list(header)
    lines = [head, ["---"] * len(head), *map(list, rows)]
    return f"## {title}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)
