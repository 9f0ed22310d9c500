"""Identity of a run: version, options that affect results, and inputs. Runs that agree in it have the same results.

Threads, memory, backend and directories are no part of it, nor are the names of inputs: a file is known by its size,
its modification time and a hash of its content.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from debruijn_gpu.assembly.break_options import BreakOptions
from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.options import SMALLEST_ROTATION, AssembleOptions
from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.assembly.variant_options import VariantOptions
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.io.opening import STANDARD_INPUT, check_readable, display_name
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.version import __version__

#: Blocks of a file that are hashed, evenly spaced, the first and the last one among them; smaller files are as a whole
_N_BLOCKS = 64
_BLOCK_BYTES = 1 << 14
_DIGEST_BYTES = 16
#: What is compared, and how a run replaces it
_CHECKPOINTS = "checkpoints", "leave --continue out to start from the beginning"
_RESULTS = "results", "add --force to replace them"
#: Options that are not called like their fields
_OPTIONS = {"ks": "-k", "pairs": "--no-pairs", "breaks": "--no-break", "clean": "--no-clean"}


@dataclass(frozen=True)
class RunIdentity:
    """Version, options and inputs of a run, as JSON values.

    Attributes
    ----------
    version : str
        Of dbg.
    options : dict
        Those that affect results.
    inputs : list of dict
        Role, size in bytes, modification time (ns) and digest of each file, in the order in which they are read.
    names : list of str
        Of the inputs, for messages.
    """

    version: str
    options: dict[str, Any]
    inputs: list[dict[str, Any]]
    names: list[str]

    def as_json(self) -> dict[str, Any]:
        """Return the members that are compared."""
        return {"version": self.version, "options": self.options, "inputs": self.inputs}

    @property
    def digest(self) -> str:
        """BLAKE2b of the members that are compared."""
        return digest_of(self.as_json())

    def check(self, found: dict[str, Any], where: str, are_results: bool = False) -> None:
        """Compare with the identity of a checkpoint, or of the run whose results a directory holds.

        Parameters
        ----------
        found : dict
            Of `as_json`.
        where : str
            Directory of the checkpoint or of the results.
        are_results : bool
            Whether it is that of results, for messages.

        Raises
        ------
        ParameterError
            Names what differs.
        """
        what, anew = _RESULTS if are_results else _CHECKPOINTS
        if found["version"] != self.version:
            raise ParameterError(
                f"{where}: expected {what} of dbg {self.version}, got those of dbg {found['version']}",
                f"continue with dbg {found['version']}, or {anew}",
            )
        self._check_inputs(found["inputs"], where, what, anew)
        if found["options"] != self.options:
            differing = ", ".join(_differences(found["options"], self.options))
            raise ParameterError(
                f"{where}: its {what} are of other options: {differing}", f"give the same options, or {anew}"
            )

    def _check_inputs(self, found: list[dict[str, Any]], where: str, what: str, anew: str) -> None:
        if [one["role"] for one in found] != [one["role"] for one in self.inputs]:
            there, here = (", ".join(one["role"] for one in inputs) for inputs in (found, self.inputs))
            raise ParameterError(
                f"{where}: expected the inputs of its {what} ({there}), got others ({here})",
                f"name the same files in the same order, or {anew}",
            )
        for name, before, now in zip(self.names, found, self.inputs, strict=True):
            if before != now:
                raise ParameterError(
                    f"{name}: not the file that the {what} in {where} are of: {_difference(before, now)}",
                    f"restore the file, or {anew}",
                )


def digest_of(members: dict[str, Any]) -> str:
    """Compute BLAKE2b of the members of an identity; see `RunIdentity.as_json`."""
    text = json.dumps(members, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()


def identify(inputs: ReadInputs, options: AssembleOptions) -> RunIdentity | None:
    """Return the identity of a run; None if an input is a pipe.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If an input is missing or cannot be read.
    """
    paths = [(path, "reads") for path in inputs.single]
    for first, second in zip(inputs.first, inputs.second, strict=True):
        paths += [(first, "first mates"), (second, "second mates")]
    paths += [(path, "interleaved mates") for path in inputs.interleaved]
    members = asdict(options)
    if options.rotate != SMALLEST_ROTATION:
        paths.append((options.rotate, "genes"))
        members["rotate"] = "genes"  # the file is among the inputs
    found = []
    for path, role in paths:
        described = _describe(path)
        if described is None:
            return None
        found.append({"role": role, **described})
    names = [display_name(path) for path, _role in paths]
    return RunIdentity(__version__, json.loads(json.dumps(members)), found, names)


def _describe(path: str) -> dict[str, Any] | None:
    """Return size, modification time and digest of a regular file; None for anything else."""
    check_readable(path, may_be_empty=True)  # who reads it reports an empty one
    if path != STANDARD_INPUT and not os.path.isfile(path):  # to open a named pipe and close it ends who writes to it
        return None
    try:
        descriptor = os.dup(0) if path == STANDARD_INPUT else os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode) or os.lseek(descriptor, 0, os.SEEK_CUR):
            return None
        return {"size": info.st_size, "mtime_ns": info.st_mtime_ns, "digest": _digest(descriptor, info.st_size)}
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _digest(descriptor: int, n_bytes: int) -> str:
    sums = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for start in _starts(n_bytes):
        sums.update(os.pread(descriptor, _BLOCK_BYTES, start))
    return sums.hexdigest()


def _starts(n_bytes: int) -> Iterator[int]:
    """Offsets of the blocks that are hashed."""
    if n_bytes <= _N_BLOCKS * _BLOCK_BYTES:
        yield from range(0, n_bytes, _BLOCK_BYTES)
        return
    last = n_bytes - _BLOCK_BYTES
    yield from (last * i // (_N_BLOCKS - 1) for i in range(_N_BLOCKS))


def _difference(before: dict[str, Any], now: dict[str, Any]) -> str:
    """Word the first difference of two descriptions of a file."""
    if before["size"] != now["size"]:
        return f"expected {counted(before['size'], 'byte')}, got {now['size']:,}"
    return "its content differs" if before["digest"] != now["digest"] else "it was modified or copied since"


def _differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Name the options that differ, with both values where they are short."""
    for field in sorted(before.keys() | now.keys()):
        one, other = before.get(field), now.get(field)
        if one == other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            yield from _differences(one, other)
        elif isinstance(one, (bool, dict)) or isinstance(other, (bool, dict)):
            yield _option(field)
        else:
            yield f"{_option(field)} {_shown(one)} there, {_shown(other)} here"


def _option(field: str) -> str:
    classes = (AssembleOptions, CleanOptions, PairOptions, BreakOptions, VariantOptions)
    names = (one.option_name(field) for one in classes if field in one.__dataclass_fields__)
    return _OPTIONS.get(field) or next(names)


def _shown(value: Any) -> str:
    return (",".join(map(str, value)) or "auto") if isinstance(value, list) else "auto" if value is None else str(value)
