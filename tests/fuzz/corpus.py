"""Small files that are kept because they once showed a defect, or show a limit: ``corpus/TARGET/what_it_shows``."""

from __future__ import annotations

from pathlib import Path

_CORPUS = Path(__file__).parent / "corpus"


def kept_paths(target: str) -> list[Path]:
    """Paths of the files that are kept for a target, in a fixed order."""
    return sorted(path for path in (_CORPUS / target).glob("*") if path.is_file())


def kept_files(target: str) -> list[bytes]:
    """Contents of these files."""
    return [path.read_bytes() for path in kept_paths(target)]


def kept_targets() -> list[str]:
    """Names of the directories of the corpus."""
    return sorted(path.name for path in _CORPUS.iterdir() if path.is_dir())
