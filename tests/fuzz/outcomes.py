"""What a case may come to: documented errors of one line each."""

from __future__ import annotations

from debruijn_gpu.errors import DbgError

EXIT_CODES = (2, 64, 65, 66, 67, 69, 70, 137)
#: Letters of a message: one line that can be read
MOST_MESSAGE = 600


def check_error(error: DbgError) -> None:
    """Raise AssertionError if an error is not one line on what happened, one remedy and a documented exit code."""
    assert error.exit_code in EXIT_CODES, f"exit code {error.exit_code}"
    assert error.what.strip(), "an error without a message"
    for text in (error.what, error.fix):
        assert len(text) <= MOST_MESSAGE, f"a message of {len(text):,} letters: {text[:200]}"
        assert "\n" not in text, f"a message of several lines: {text!r}"
