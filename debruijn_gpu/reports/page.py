"""Self-contained pages: text, style, scripts and data in one file that loads nothing from the network."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from debruijn_gpu import __version__
from debruijn_gpu.backends.core import kernel_store

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment, Template
    from jinja2.bccache import Bucket


_PLAIN = frozenset([str, int, bool, type(None)])
_MOST_DIGITS = 30  # of an integer whose thousands are separated

Cell = str | int | float | None


def cell_text(value: Cell) -> str:
    """Format a cell of a table: integers with thousands, a dash for None and empty text."""
    if value is None or value == "":
        return "–"
    return f"{value:,}" if isinstance(value, int) else str(value)


def integer(value: float | None) -> int | None:
    """Round a number down to an integer, if it is known."""
    return None if value is None else int(value)


def base_pairs(value: float | None) -> str | None:
    """Format a length in bp, if it is known."""
    return None if value is None else f"{value:,.0f} bp"


def with_thousands(text: str) -> str:
    """Separate the thousands of an integer; other text stays as it is."""
    return f"{int(text):,}" if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else text


#: What a page may do: run what is in it and draw; it can neither fetch nor send
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

# Within a script element none of these may end it or begin a comment.
_IN_JSON = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}
_ENDS_ELEMENT = re.compile(r"</(?=script|style)|<(?=!--)", re.IGNORECASE)


def render_page(
    template: str | Template,
    context: Mapping[str, Any],
    *,
    title: str,
    data: Mapping[str, Any],
    scripts: Sequence[str],
    styles: Sequence[str] = (),
) -> bytes:
    """Render a page of one file; the same arguments give the same bytes.

    Parameters
    ----------
    template : str or Template
        File of ``templates/`` that extends ``page.html``.
    context : mapping of str
        Variables of the template. All text is escaped there.
    title : str
        Title of the browser's tab; any text.
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
    from markupsafe import Markup

    text = (
        environment()
        .get_template(template)
        .render(
            context,
            policy=POLICY,
            title=title,
            styles=[Markup(_asset(name)) for name in ("theme.css", *styles)],
            scripts=[Markup(_asset(name)) for name in ("d3.min.js", *scripts)],
            data=Markup(to_json(data)),
        )
    )
    # Unpaired surrogates, which names of files may hold, become references that browsers show as unknown.
    return text.encode("utf-8", "xmlcharrefreplace")


def _compiled_templates() -> BytecodeCache:
    """Keep compiled templates beside kernels: compiling them takes 50 ms. They are as trusted, and found by content."""
    from jinja2 import BytecodeCache

    class CompiledTemplates(BytecodeCache):
        def load_bytecode(self, bucket: Bucket) -> None:
            content = kernel_store.find(kernel_store.TEMPLATES, bucket.key)
            if content is not None:
                bucket.bytecode_from_string(content)

        def dump_bytecode(self, bucket: Bucket) -> None:
            kernel_store.keep(kernel_store.TEMPLATES, bucket.key, bucket.bytecode_to_string())

    return CompiledTemplates()


@cache
def environment() -> Environment:
    """Build the environment of the templates: escaping everywhere, and an error for a variable that is not given."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=_compiled_templates(),
    )
    found.filters.update(cell=cell_text, thousands=with_thousands)
    found.globals["version"] = __version__
    return found


def to_json(data: Any) -> str:
    """JSON that may stand in a script element: ASCII without angle brackets."""
    return json.dumps(_plain(data), allow_nan=False, separators=(",", ":")).translate(_IN_JSON)


def _plain(value: Any) -> Any:
    """Convert values to types of `json`."""
    if type(value) in _PLAIN:  # most are
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): _plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return value if _PLAIN.issuperset(map(type, value)) else [_plain(member) for member in value]
    return value


def _asset(name: str) -> str:
    """A style sheet or script that came with the package, for an element of its own."""
    text = Path(__file__).with_name("assets").joinpath(name).read_text("utf-8")
    if _ENDS_ELEMENT.search(text):
        raise ValueError(f"assets/{name} would end its own element")
    return text if text.endswith("\n") else text + "\n"
