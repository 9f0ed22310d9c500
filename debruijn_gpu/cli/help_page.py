"""Help pages of commands: usage, options in panels, and examples."""

from __future__ import annotations

import copy

import click

from debruijn_gpu.cli.examples import examples_of
from debruijn_gpu.cli.help_options import (
    ALGORITHM,
    HELP_ALL,
    INPUT,
    MACHINE,
    OUTPUT,
    PANELS,
    ExpertCommand,
)
from debruijn_gpu.cli.paths import InputFile, OtherPath, OutputFile

#: Options on how anything is run, by the names of their parameters
MACHINE_OPTIONS = frozenset(
    [
        "threads",
        "memory",
        "backend",
        "gpu_memory",
        "gpus",
        "dask",
        "tmp_dir",
        "verbose",
        "quiet",
        "debug",
        "help",
        "help_all",
    ]
)
_GRAPH_INPUT = "-k --forward --min-count --multiplicity --overlap --loops --n-vertices --reverse"
_MARKS = "--in --out --clusters --euler --edge-labels --spanning-tree --wash --circuits --stage --layout"
#: Panels of options that `panel_of` would not find by type and help; of some commands, or of all
NAMED: dict[tuple[str, ...], dict[str, str]] = {
    ("",): {
        INPUT: "--columns --from --mass --number --title --charge --fragment-charge --debruijn",
        ALGORITHM: "--unique --components --pagerank --rotate",
        OUTPUT: "--format --json --tsv --force --continue --checkpoint --fields --name --keep-variants --offset --top",
    },
    ("graph", "euler", "draw"): {INPUT: _GRAPH_INPUT},
    ("graph",): {ALGORITHM: "--paths --spell-paths"},
    ("draw",): {OUTPUT: _MARKS},
    ("simulate",): {ALGORITHM: "--length"},
    ("matrix",): {ALGORITHM: "--soft-min"},
    ("debruijn",): {INPUT: "--multiplicity"},
    ("distinct",): {OUTPUT: "--count"},
    ("help",): {OUTPUT: "--all"},
}
_PANELS = {
    (command, option): panel
    for commands, panels in NAMED.items()
    for command in commands
    for panel, options in panels.items()
    for option in options.split()
}
_OF_TYPE = ((InputFile, INPUT), (OutputFile, OUTPUT), (OtherPath, MACHINE))
#: First words of a help text
_OF_WORD = {"Read": INPUT, "Treat": INPUT, "Write": OUTPUT, "Output": OUTPUT}
_WIDEST_NAMES = 30
_UNBROKEN = "\N{NO-BREAK SPACE}"


def panel_of(option: click.Option, command: str | None = None) -> str:
    """Return the panel of an option of a command.

    It is named in `NAMED`, or follows from the name of the parameter, from the type of the value (files that are read
    or written), or from the first word of the help ("Read ...", "Write ..."); others belong to the algorithm.
    """
    for key in ((name, each) for name in (command, "") for each in option.opts):
        if key in _PANELS:
            return _PANELS[key]
    if option.name in MACHINE_OPTIONS:
        return MACHINE
    if option.name == "file_format":
        return OUTPUT
    for kind, panel in _OF_TYPE:
        if isinstance(option.type, kind):
            return panel
    return _OF_WORD.get((option.help or "").removeprefix("Also ").split(" ")[0].capitalize(), ALGORITHM)


def panels_of(command: click.Command) -> dict[str, list[click.Option]]:
    """Return the options of each panel that has any, without hidden ones."""
    found: dict[str, list[click.Option]] = {panel: [] for panel in PANELS}
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            found[panel_of(option, command.name)].append(option)
    return {panel: options for panel, options in found.items() if options}


def expert_records(command: click.Command, context: click.Context) -> list[tuple[str, str]]:
    """Return names and help text of the options that only ``--help-all`` shows."""
    records = []
    names = command.expert_options if isinstance(command, ExpertCommand) else ()
    for option in command.params:
        if isinstance(option, click.Option) and option.name in names:
            shown = copy.copy(option)
            shown.hidden = False
            record = shown.get_help_record(context)
            assert record is not None
            records.append(record)
    return records


def page(context: click.Context, is_full: bool = False) -> str:
    """Make the help page of the command of a context.

    Parameters
    ----------
    context : click.Context
    is_full : bool
        Whether to describe options on the machine, and those for experts, too.
    """
    command = context.command
    if is_full:
        context.meta[HELP_ALL] = True
    formatter = context.make_formatter()
    command.format_usage(context, formatter)
    command.format_help_text(context, formatter)
    if isinstance(command, click.Group):
        command.format_commands(context, formatter)
    for panel, options in panels_of(command).items():
        if panel == MACHINE and not is_full:
            _write_short(formatter, options)
        else:
            _write_options(formatter, panel, options, context)
    command.format_epilog(context, formatter)
    _write_examples(formatter, context)
    return formatter.getvalue().rstrip("\n")


def _write_options(
    formatter: click.HelpFormatter, panel: str, options: list[click.Option], context: click.Context
) -> None:
    records = [record for option in options if (record := option.get_help_record(context)) is not None]
    with formatter.section(panel):
        formatter.write_dl([(names.ljust(_WIDEST_NAMES), text) for names, text in records])  # panels are aligned


def _write_short(formatter: click.HelpFormatter, options: list[click.Option]) -> None:
    """Name the options of a panel, without help."""
    names = ", ".join(map(_short, options))
    with formatter.section(f"{MACHINE} ({HELP_ALL} describes these)"):
        indent = " " * formatter.current_indent
        lines = click.formatting.wrap_text(names, formatter.width, indent, indent)
        formatter.write(lines.replace(_UNBROKEN, " ") + "\n")


def _short(option: click.Option) -> str:
    """The shortest name of an option, with its value."""
    name = min(option.opts, key=len)
    value = "" if option.is_flag or option.count else option.metavar or option.type.name.upper()
    return f"{name}{_UNBROKEN}{value}" if value else name


def _write_examples(formatter: click.HelpFormatter, context: click.Context) -> None:
    examples = examples_of(context.command_path)
    if not examples:
        return
    with formatter.section("Examples"):
        for i, (purpose, line) in enumerate(examples):
            if i:
                formatter.write_paragraph()
            for text in (f"# {purpose}", *line.split("\n")):
                formatter.write(f"{'':{formatter.current_indent}}{text}\n")
