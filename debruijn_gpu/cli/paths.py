"""Types of arguments and options that name files. No output may be an input of the same command, nor another output.

Each type notes its files when Click converts the value, and compares them with those noted before: before any work
begins, and whatever the order of arguments and options. Commands note files whose names they read by `note_inputs`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from debruijn_gpu.cli.named_files import files_of, identities
from debruijn_gpu.errors import FileAccessError, UsageError
from debruijn_gpu.run.file_formats import KMC_ENDINGS, kmc_stem

STANDARD_STREAM = "-"

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    _ParamType = click.ParamType[Any]
else:
    _ParamType = click.ParamType  # before Click 8.4 it has no parameters


class _PathType(_ParamType):
    """A path that is not empty."""

    name = "path"

    def __init__(self, path_type: Callable[[str], Any] = str) -> None:
        self._path_type = path_type

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Check a value, and note the files that it names."""
        text = os.fspath(value)
        if isinstance(param, click.Option) and ctx is not None and _is_option(text, ctx.command):
            raise UsageError(
                f"{param.opts[-1]} {text}: expected a path, got an option",
                f"give a path; a file of that name is ./{text}",
            )
        if not all(paths := self.paths(text)):
            self.fail("the path is empty", param, ctx)
        if ctx is not None:
            for path in paths:
                self.note(path, param.opts[-1] if param is not None else "", ctx)
        return self._path_type(text)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
        """Let the shell complete names of files, or of directories."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="dir" if param.metavar == "DIR" else "file")]

    def paths(self, text: str) -> list[str]:
        """Return the paths that a value names."""
        return [text]

    def note(self, path: str, option: str, ctx: click.Context) -> None:
        """Note a path; by default as neither input nor output."""


class InputFile(_PathType):
    """A file to read, or ``-``.

    Parameters
    ----------
    members : collection of str, optional
        Names of the files that are read where the path is a directory.
    read_first : bool, optional
        Whether the command reads all of the file before it opens an output, which may then be the same file.
    is_path : callable, optional
        Whether a value is a path at all.
    several : bool, optional
        Whether a value is paths with commas between them, unless a file has the whole as its name.
    may_be_unused : bool, optional
        Whether the command may read something else, and calls `refuse_terminal` if it does not.
    """

    def __init__(
        self,
        members: Collection[str] = (),
        read_first: bool = False,
        is_path: Callable[[str], bool] = lambda text: True,
        several: bool = False,
        may_be_unused: bool = False,
    ) -> None:
        super().__init__()
        self._may_be_unused = may_be_unused
        self._members = members
        self._read_first = read_first
        self._is_path = is_path
        self._several = several

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Check a value, and note the files that it names; refuse to wait for a terminal that no one has asked for."""
        is_default = ctx is not None and param is not None and _is_default(ctx, param)
        if value == STANDARD_STREAM and is_default and not self._may_be_unused:
            refuse_terminal()
        return super().convert(value, param, ctx)

    def paths(self, text: str) -> list[str]:
        """See `_PathType.paths`."""
        if not self._is_path(text):
            return []
        return split_paths(text) if self._several else [text]

    def note(self, path: str, option: str, ctx: click.Context) -> None:
        """Note an input, and standard output with the first one."""
        if self._read_first:
            return
        files = files_of(ctx)
        if not files.inputs:
            files.add_output("standard output", "", identities(1))
        if path == STANDARD_STREAM:
            files.add_input("standard input", identities(0))
            return
        files.add_input(f"the input {path}", identities(path, self._members))
        stem = kmc_stem(path)
        for ending in KMC_ENDINGS if stem is not None else ():
            files.add_input(f"the input {stem}{ending}", identities(f"{stem}{ending}"))


class OutputFile(_PathType):
    """A file to write, or ``-``.

    Parameters
    ----------
    members : collection of str, optional
        Names of the files that are replaced where the path is a directory.
    numbered : re.Pattern, optional
        Matches names of further ones.
    is_prefix : bool, optional
        Whether the value is a prefix of the names of files; the command notes these by `note_outputs`.
    path_type : callable, optional
        Makes the value of the parameter.
    """

    def __init__(
        self,
        members: Collection[str] = (),
        numbered: re.Pattern[str] | None = None,
        is_prefix: bool = False,
        path_type: Callable[[str], Any] = str,
    ) -> None:
        super().__init__(path_type)
        self._members = members
        self._numbered = numbered
        self._is_prefix = is_prefix

    def note(self, path: str, option: str, ctx: click.Context) -> None:
        """Note an output."""
        if path == STANDARD_STREAM or self._is_prefix:
            return  # standard output is noted with the inputs
        files = files_of(ctx)
        files.add_output(path, option, identities(path, self._members, self._numbered))
        files.add_target(path, option)


class OutputDir(OutputFile):
    """A directory to write, or ``-`` for standard output: then the value is None, as without the option."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Check a value, and note the files that it names; refuse a link to nothing."""
        path = super().convert(value, param, ctx)
        if str(path) == STANDARD_STREAM:
            return None
        if os.path.islink(path) and not os.path.exists(path):
            raise FileAccessError(
                f"{path}: a link to {os.readlink(path)}, which does not exist",
                "make that directory, or remove the link",
            )
        return path


class OtherPath(_PathType):
    """A path that is neither read nor written as such, as of temporary files."""


#: Of commands that write one result
output_option = click.option(
    "-o", "--output", type=OutputFile(), metavar="FILE", help="Output file (default or -: standard output)."
)


def split_paths(text: str) -> list[str]:
    """Return the paths of ``a,b``, or the one path if there is a file of that name."""
    return [text] if os.path.exists(text) else text.split(",")


def refuse_terminal() -> None:
    """Raise UsageError if standard input, which is read by default, is a terminal."""
    if sys.stdin is None or not sys.stdin.isatty():
        return
    context = click.get_current_context(silent=True)
    command = "dbg" if context is None else context.command_path
    raise UsageError(
        "no input: standard input is a terminal",
        f"name a file, pipe one in ('... | {command}'), or give - to type the input here",
    )


def refuse_default_terminal(name: str) -> None:
    """Raise UsageError if the argument ``name`` of the running command is standard input by default, a terminal."""
    context = click.get_current_context(silent=True)
    if context is not None and context.get_parameter_source(name) is ParameterSource.DEFAULT:
        refuse_terminal()


def _is_option(text: str, command: click.Command) -> bool:
    """Whether a value looks like an option, or is the name of one of a command: then the value was forgotten."""
    return text.startswith("--") or (text.startswith("-") and any(text in one.opts for one in command.params))


def _is_default(context: click.Context, parameter: click.Parameter) -> bool:
    return context.get_parameter_source(str(parameter.name)) is ParameterSource.DEFAULT


def note_standard_input() -> None:
    """Note that the running command reads standard input though no argument says so.

    Raises
    ------
    UsageError
        If it is a terminal, or an output is the same file.
    """
    refuse_terminal()
    context = click.get_current_context(silent=True)
    if context is not None:
        InputFile().note(STANDARD_STREAM, "", context)


def note_inputs(paths: Iterable[str]) -> None:
    """Note files that the running command reads though no argument names them, such as those of a sample sheet.

    Raises
    ------
    UsageError
        If an output is the same file as one of them.
    """
    context = click.get_current_context()
    for path in paths:
        InputFile().note(path, "", context)


def note_outputs(paths: Iterable[str], option: str) -> None:
    """Note files that the running command writes, whose names follow from the value of an option.

    Raises
    ------
    UsageError
        If one of them is the same file as an input.
    """
    context = click.get_current_context()
    for path in paths:
        OutputFile().note(path, option, context)
