"""The parts of the report on how an assembly was made: choice of k, cleaning, graph, time, options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from debruijn_gpu.assembly_dir.reading import FILES, AssemblyFiles, number
from debruijn_gpu.reports.html import Cell, Html, chart, details, integer, missing, paragraph, table
from debruijn_gpu.reports.verdict import counted
from debruijn_gpu.run.resources import format_bytes

#: Letters of the command that are shown: of thousands of files few tell enough.
LONGEST_COMMAND = 4000


def cleaning_section(files: AssemblyFiles) -> str:
    """How k was chosen, and what cleaning removed."""
    report = files.report
    if not report:
        return missing("There is no report.json, so the choice of k and what cleaning did are not known.")
    why = report.get("k", {}).get("why") if isinstance(report.get("k"), dict) else None
    kept = number(report, "min_count")
    told = paragraph(f"{why}.") if isinstance(why, str) and why else ""
    if kept is not None:
        told += paragraph(f"K-mers that occur {kept:.0f} times or more were kept.")
    cleaning = report.get("cleaning")
    if not isinstance(cleaning, dict):
        return told + missing("The graph was left as it is (--no-clean).")
    kinds = ("tips", "bubbles", "chimeras")
    rounds = cleaning.get("by_round")
    rows: list[tuple[Cell, ...]] = [
        (i, *(integer(number(one, kind)) for kind in kinds), None)
        for i, one in enumerate(rounds if isinstance(rounds, list) else [], 1)
        if isinstance(one, dict)
    ]
    rows.append(("all", *(integer(number(cleaning, kind)) for kind in (*kinds, "isolated"))))
    heads = ("round", "tips", "bubbles", "chimeric connections", "isolated")
    left = number(report, "graph", "n_segments")
    after = (
        paragraph(f"The graph that is left: {_unitigs_and_links(left, number(report, 'graph', 'n_links') or 0)}.")
        if left is not None
        else ""
    )
    return (
        told + table(heads, rows, caption="Unitigs that cleaning removed", numeric=range(1, 5), row_heads=True) + after
    )


def graph_section(data: Mapping[str, Any]) -> str:
    """The assembly graph, drawn when it is opened; of the data of the page's charts."""
    if data["graph"] is None:
        return missing("There is no assembly graph (assembly_graph.gfa).")
    graph = data["graph"]
    n_links = len(graph["links"]) + sum(graph["circular"])  # a circle is joined to itself
    note = _unitigs_and_links(len(graph["names"]), n_links)
    if graph.get("n_left_out"):
        note += f"; {graph['n_left_out']:,} shorter ones are left out"
    text = "A stroke is a unitig; where it branches, contigs end. It is drawn when it is opened."
    view = '<div id="graph-view" class="graph-box screen-only"></div><noscript>It is drawn with JavaScript.</noscript>'
    return paragraph(f"{note}.") + paragraph(text, "screen-only") + details("Show the graph", view)


def _unitigs_and_links(n_unitigs: float, n_links: float) -> str:
    return f"{counted(int(n_unitigs), 'unitig')} with {counted(int(n_links), 'link')}"


def time_section(files: AssemblyFiles) -> str:
    """Where time and memory went, as the log tells."""
    run = files.run
    if run is None:
        return missing("There is no dbg.log, so it is not known where time and memory went.")
    if not run.stages:
        return missing("The log tells of no stage.")
    sums = [] if run.wall_s is None else [f"{run.wall_s:,.1f} s in all"]
    sums += [] if run.cpu_s is None else [f"{run.cpu_s:,.1f} CPU seconds"]
    sums += [] if run.peak_bytes is None else [f"peak memory {format_bytes(run.peak_bytes)}"]
    sums += [f"backend: {run.backend}"] if run.backend else []
    rows = [
        (
            stage.name,
            f"{stage.items:,} {stage.unit}" if stage.items else None,
            f"{stage.wall_s:.2f}",
            None if stage.cpu_s is None else f"{stage.cpu_s:.2f}",
            f"{stage.compile_s:.2f}" if stage.compile_s else None,
            None if stage.peak_bytes is None else format_bytes(stage.peak_bytes),
        )
        for stage in run.stages
    ]
    heads = ("stage", "handled", "seconds", "CPU seconds", "compiling", "peak memory")
    what = (
        "Seconds of each stage; those for compiling are spent in the first run of a version only. Where CPU seconds "
        "are more, several threads were at work."
    )
    return (
        paragraph("; ".join(sums) + ".")
        + f'<div class="charts">{chart("time", "Where the time went", what)}'
        + chart("memory", "Where the memory went", "The most memory that the run had taken by the end of each stage.")
        + "</div>"
        + details("In numbers", table(heads, rows, caption="Stages of the run", numeric=range(2, 6)))
    )


def made_section(files: AssemblyFiles) -> str:
    """Options, command and files."""
    if not files.files:
        return missing("There is no params.json, so how the assembly was made is not known.")
    rows = list(_flat(_member(files.params, "assemble")))
    rows += [(f"{name}, as used", value) for name, value in _flat(_member(files.params, "used"))]
    options = (
        table(("option", "value"), rows, caption="Options that bear on the result", row_heads=True)
        if rows
        else missing("There is no params.json, so the options are not known.")
    )
    listed = table(
        ("file", "what"), [(Html(f"<code>{name}</code>"), FILES[name]) for name in files.files], caption="Files"
    )
    command = ""
    if files.run is not None and files.run.command:
        given = files.run.command
        given = given if len(given) <= LONGEST_COMMAND else f"{given[:LONGEST_COMMAND]}… (all of it is in dbg.log)"
        command = "<h3>Command</h3>" + table((), [(given,)], caption="Command as it was given")
    return f"<h3>Options</h3>{options}{command}<h3>Files</h3>{listed}"


def _member(params: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a member of ``params.json`` that is an object; an empty one if it is missing or of another type."""
    value = params.get(name)
    return value if isinstance(value, dict) else {}


def _flat(options: Mapping[str, Any], before: str = "") -> list[tuple[str, str]]:
    """Options with those within them."""
    rows: list[tuple[str, str]] = []
    for name, value in options.items():
        if isinstance(value, dict):
            rows += _flat(value, f"{before}{name}.")
        else:
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            rows.append((f"{before}{name}", "auto" if shown in ("", None) else str(shown)))
    return rows
