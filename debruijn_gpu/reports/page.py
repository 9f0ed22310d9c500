"""One self-contained page: text, style, scripts and data in one file that asks no network for anything."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np

#: What a page may do: run what is in it and draw; it can neither fetch nor send
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

_SHELL = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="dbg">
<title>{title}</title>
{styles}
</head>
<body>
{body}
<script type="application/json" id="data">{data}</script>
{scripts}
</body>
</html>
"""

# Within a script element none of these may end it or begin a comment.
_IN_JSON = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}
_ENDS_ELEMENT = re.compile(r"</(?=script|style)|<(?=!--)", re.IGNORECASE)


def html_page(
    title: str, body: str, *, data: Mapping[str, Any], scripts: Sequence[str], styles: Sequence[str] = ()
) -> bytes:
    """A page of one file; the same arguments give the same bytes.

    Parameters
    ----------
    title : str
        What the browser's tab says; any text.
    body : str
        HTML, taken as it is: texts in it must have passed `escape`.
    data : mapping of str
        What scripts find as JSON in the element ``data``. NumPy arrays and scalars become lists and numbers; what JSON
        has no number for (NaN, infinity) becomes null.
    scripts : sequence of str
        Files of ``assets/`` that run one after another, behind D3.
    styles : sequence of str
        Style sheets of ``assets/`` that follow ``theme.css``.

    Returns
    -------
    bytes
        HTML in UTF-8.
    """
    shell = _SHELL.format(
        policy=POLICY,
        title=escape(title),
        styles="\n".join(f"<style>\n{_asset(name)}</style>" for name in ("theme.css", *styles)),
        body=body,
        data=to_json(data),
        scripts="\n".join(f"<script>\n{_asset(name)}</script>" for name in ("d3.min.js", *scripts)),
    )
    # Halves of characters, which names of files may hold, become references that browsers show as unknown.
    return shell.encode("utf-8", "xmlcharrefreplace")


def escape(text: str) -> str:
    """Text as it may stand in HTML, in attributes with quotes too."""
    return html.escape(text, quote=True)


def to_json(data: Any) -> str:
    """JSON that may stand in a script element: ASCII without angle brackets."""
    return json.dumps(_plain(data), allow_nan=False, separators=(",", ":")).translate(_IN_JSON)


def _plain(value: Any) -> Any:
    """The same in what `json` knows."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): _plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(member) for member in value]
    return value


def _asset(name: str) -> str:
    """A style sheet or script that came with the package, for an element of its own."""
    text = resources.files("debruijn_gpu.reports").joinpath("assets", name).read_text("utf-8")
    if _ENDS_ELEMENT.search(text):
        raise ValueError(f"assets/{name} would end its own element")
    return text if text.endswith("\n") else text + "\n"
