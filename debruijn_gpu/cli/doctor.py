"""`dbg doctor`: check the installation and the machine."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from debruijn_gpu.cli.common import configure_log, format_option, verbosity
from debruijn_gpu.cli.groups import excludes, option_rules
from debruijn_gpu.cli.paths import output_option
from debruijn_gpu.doctor.machine import Machine, Section, examine, usable_backends
from debruijn_gpu.doctor.self_test import SelfTest, check
from debruijn_gpu.io.output import check_writable, write_lines
from debruijn_gpu.io.publishing import publish_completed
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import counted, one_line
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.version import __version__

_EXIT_BROKEN = 1
_FORMATS = ("text", "json")


@click.command("doctor")
@format_option(_FORMATS, "text")
@click.option("--json", "as_json", is_flag=True, hidden=True, help="As in version 0.1: --format json.")
@click.option(
    "--calibrate",
    is_flag=True,
    help="First measure the rates of stages, for plans of clusters, and the input size above which the GPU is faster, "
    "and store them.",
)
@click.option(
    "--self-test",
    is_flag=True,
    help="Run commands on the phage of data/ on each usable backend, and compare their results with published digests.",
)
@output_option
@verbosity
@option_rules(excludes("--json", "--format"))
def command(
    file_format: str | None, as_json: bool, calibrate: bool, self_test: bool, output: str | None, **options: Any
) -> None:
    """Show versions, CPUs, memory, GPU, the cache of compiled code, and temporary space.

    Exits with 1 if a component that every run needs is broken, or the self-test fails.
    """
    configure_log(options)
    chosen = "json" if as_json else choose_format(output, _FORMATS, "text", file_format, "--format")
    check_writable(output)
    if calibrate:
        calibrate_stages()
        calibrate_backends()
    machine = examine()
    if self_test:
        run_self_test(machine)
    text = as_json_text(machine) if chosen == "json" else as_text(machine)
    write_lines(text.rstrip("\n").split("\n"), output)
    if machine.problems:
        publish_completed()
        sys.exit(_EXIT_BROKEN)


def run_self_test(machine: Machine) -> None:
    """Run the self-test on each usable backend; add its outcome and problems to those of the machine."""
    facts: dict[str, Any] = {}
    for backend in usable_backends():
        with log.stage(f"self-test on {backend}"):
            tested = check(backend)
        facts[backend] = None if tested.problems else _outcome(tested)
        machine.problems.extend(f"self-test on {backend}: {problem}" for problem in tested.problems)
    machine.sections["self_test"] = Section(facts, "failed")


def _outcome(tested: SelfTest) -> str:
    return f"{counted(tested.n_files, 'result')} of {counted(tested.n_commands, 'command')} as published"


def calibrate_stages() -> None:
    """Measure the rates of stages on the CPU, and store them."""
    from debruijn_gpu.cluster_estimation import save_rates
    from debruijn_gpu.doctor import stage_rates

    with log.stage("measure stages"):
        found = stage_rates.measure()
    log.report("rates of stages are kept in %s", save_rates(found))


def calibrate_backends() -> None:
    """Measure CPU and GPU, store the crossover sizes, and log the measured rates."""
    from debruijn_gpu import backends
    from debruijn_gpu.backends import crossover
    from debruijn_gpu.doctor import calibration

    if "cuda" not in usable_backends():
        log.report("no usable GPU: there is no input size to measure from which on it is faster")
        return
    cuda = backends.load_cuda(RunOptions(backend="cuda"))
    with log.stage("calibrate"):
        found = calibration.measure(backends.load(RunOptions(backend="cpu")), cuda)
    for name, cutover in found.items():
        comparison = f"is faster from {format_bytes(cutover.n_bytes)} on" if cutover.n_bytes else "is always faster"
        if cutover.n_bytes >= crossover.NEVER:
            comparison = "is never faster"
        log.report(
            "  %s: CPU %.2f s/GB; GPU %.2f s to start, then %.2f s/GB: the GPU %s",
            name,
            cutover.cpu_s_per_gb,
            cutover.cuda_start_s,
            cutover.cuda_s_per_gb,
            comparison,
        )
    log.report("kept in %s", crossover.save(found))


def as_json_text(machine: Machine) -> str:
    """Format sections as JSON objects, with sizes in bytes and null for absent values."""
    sections = {name: section.facts for name, section in machine.sections.items()}
    return json.dumps({"version": __version__, **sections, "problems": machine.problems}, indent=2) + "\n"


def as_text(machine: Machine) -> str:
    """Format sections with aligned columns, and problems at the end."""
    width = max(len(_label(name)) for section in machine.sections.values() for name in section.facts)
    lines = []
    for title, section in machine.sections.items():
        lines.append(title.replace("_", " "))
        lines += [f"  {_label(name).ljust(width)}  {_value(name, section)}" for name in section.facts]
    lines += ["", *(f"broken: {one_line(problem)}" for problem in machine.problems or ())]
    lines += [] if machine.problems else ["All that dbg needs is there."]
    return "\n".join(lines) + "\n"


def _label(name: str) -> str:
    return name if name.isupper() else name.removesuffix("_bytes").replace("_", " ")


def _value(name: str, section: Section) -> str:
    value = section.facts[name]
    if value is None:
        return section.absent
    if isinstance(value, list):
        return one_line(", ".join(value))
    return format_bytes(value) if name.endswith("_bytes") else one_line(str(value))
