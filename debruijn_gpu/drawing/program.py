"""Drawings made by the program `dot` of graphviz, which is not part of this package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from debruijn_gpu.errors import ParameterError

_PROGRAM = "dot"
_SECONDS = 60  # that a drawing may take; what is known to take long goes to another program of graphviz before
_FORMAT_OPTIONS = {"svg": [], "pdf": [], "png": ["-Gdpi=144", "-Gsize=40,40"]}  # inches: larger ones become smaller

_HOW_TO_GET = (
    "install it (apt install graphviz, conda install graphviz or brew install graphviz); "
    "--format dot and --format html work without it"
)
# A PDF would hold the time: newer versions take it from the environment, of older ones it is replaced.
_AT_NO_TIME = {"SOURCE_DATE_EPOCH": "0", "TZ": "UTC"}
_DATE = re.compile(rb"(/CreationDate \(D:)\d{14}")
_COMMENT = re.compile(rb"<!--.*?-->\n?", re.DOTALL)
_TITLE = re.compile(rb"<title>[^<]*</title>\n?")


def is_there() -> bool:
    """Whether graphviz can be called."""
    return shutil.which(_PROGRAM) is not None


def check(what: str) -> None:
    """Raise unless graphviz can be called.

    Raises
    ------
    ParameterError
        Saying how to get it.
    """
    if not is_there():
        raise ParameterError(f"{what}: this needs the program dot of graphviz, which is not installed", _HOW_TO_GET)


def render(dot: str, file_format: str) -> bytes:
    """A drawing in one of svg, png and pdf.

    The same text gives the same bytes, with one version of graphviz and its libraries.

    Parameters
    ----------
    dot : str
        In DOT; its attribute ``layout`` says which program of graphviz draws.
    file_format : str

    Raises
    ------
    ParameterError
        If graphviz is not there, fails, or takes more than a minute.
    """
    check(file_format)
    command = [_PROGRAM, f"-T{file_format}", *_FORMAT_OPTIONS[file_format]]
    environment = os.environ | _AT_NO_TIME
    try:
        done = subprocess.run(
            command, input=dot.encode(), capture_output=True, timeout=_SECONDS, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        raise ParameterError(
            f"{file_format}: dot did not find a layout within {_SECONDS} s",
            "draw less (--around, --max-vertices), or --format html",
        ) from None
    if done.returncode or not done.stdout:
        said = " ".join(done.stderr.decode(errors="replace").split()) or f"exit code {done.returncode}"
        raise ParameterError(f"{file_format}: dot failed: {said}", "--format dot writes what it was given")
    if file_format == "pdf":
        return _DATE.sub(rb"\g<1>19700101000000", done.stdout)
    return _plain_svg(done.stdout) if file_format == "svg" else done.stdout


def _plain_svg(svg: bytes) -> bytes:
    """Without comments, which tell the version, and without titles that are not names but numbers of vertices."""
    return _TITLE.sub(b"", _COMMENT.sub(b"", svg))
