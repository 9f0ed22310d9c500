"""Build and check what is published: ``python -m tests.packaging.release wheel|all [TARGET...]``, or ``make release``.

``wheel`` writes a wheel of this checkout into dist/, ``all`` a source distribution too. Targets are levels of
processors and architectures of GPUs that kernels are compiled for; without any, all that can be compiled here.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from debruijn_gpu.backends.core.build import NotCompiledError, build_all
from tests.packaging import building, checking

DIST = building.ROOT / "dist"


def release(what: str, targets: Sequence[str]) -> None:
    """Write a wheel, and a source distribution if all is wanted; end with what is wrong with them."""
    with tempfile.TemporaryDirectory(prefix="dbg-release-") as directory:
        scratch = Path(directory)
        kernels = scratch / "kernels"
        left_out = build_all(kernels, targets)
        built = [path.name for path in kernels.iterdir()]
        sdist = building.build_sdist(DIST if what == "all" else scratch, scratch)
        wheel = building.build_wheel(building.unpack(sdist, scratch / "unpacked"), kernels, DIST, scratch)
        _refuse(sdist, checking.problems_of_sdist(sdist))
        _refuse(wheel, checking.problems_of_wheel(wheel))
        _refuse(wheel, checking.missing_kernels(wheel, built))
        for path in (sdist, wheel) if what == "all" else (wheel,):
            print(f"{path.relative_to(building.ROOT)}: {path.stat().st_size:,} bytes")
    print(f"compiled for {', '.join(sorted(built))}")
    for target, reason in left_out.items():
        print(f"not compiled for {target}: {reason}")


def _refuse(path: Path, problems: Iterable[str]) -> None:
    found = list(problems)
    if found:
        path.unlink()
        sys.exit("\n".join(f"error: {path.name}: {problem}" for problem in found))


if __name__ == "__main__":
    try:
        release(sys.argv[1], sys.argv[2:])
    except NotCompiledError as error:
        sys.exit(f"error: {error}")
