"""Entry point of ``dbg`` and ``python -m debruijn_gpu``.

Signals are answered before anything else is imported: that takes a tenth of a second, and an interrupt within an
import would print a traceback.
"""

from __future__ import annotations

from debruijn_gpu import signals


def main() -> None:
    """Run `dbg`; never returns."""
    signals.leave_at_once()
    from debruijn_gpu import cli

    cli.main()


if __name__ == "__main__":
    main()
