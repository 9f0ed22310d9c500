"""What is in a plot that matplotlib wrote as SVG."""

from __future__ import annotations

import io
from html import unescape
from xml.etree import ElementTree

_SVG = "{http://www.w3.org/2000/svg}"


def drawn(draw, *args, file_format="svg", **options):
    """The bytes that a function draws."""
    stream = io.BytesIO()
    draw(stream, file_format, *args, **options)
    return stream.getvalue()


def texts(picture):
    """The texts of a plot, which are shapes of letters with the text as a comment; it is sound XML without scripts."""
    builder = ElementTree.TreeBuilder(insert_comments=True)
    root = ElementTree.fromstring(picture, ElementTree.XMLParser(target=builder))
    assert root.tag == f"{_SVG}svg"
    assert not root.findall(f".//{_SVG}script")
    return [unescape(node.text.strip()).replace("- -", "--") for node in root.iter(ElementTree.Comment)]
