"""Save the references of a screen, and load them: an .npz of packed sequences, from which the index is built."""

from __future__ import annotations

import errno
import io
import zipfile
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES_PER_WORD, K_MAX
from debruijn_gpu.errors import FileAccessError, FormatError
from debruijn_gpu.io.json_reading import parse_json
from debruijn_gpu.io.numbers.npy_reading import DAMAGE, REMAKE, NpzArrays, in_one_line
from debruijn_gpu.io.tables import to_json
from debruijn_gpu.screening.sequences import ReferenceSequences

_FORMAT = "debruijn_gpu screen index"
_SCHEMA_VERSION = 1
_MAGIC = b"PK\x03\x04"
_ARRAYS = {"bases": np.uint64, "starts": np.int64, "stops": np.int64, "owners": np.int64}


def write_index(stream: BinaryIO, sequences: ReferenceSequences) -> None:
    """Write reference sequences as .npz, the same bytes for the same sequences."""
    meta = {"format": _FORMAT, "schema_version": _SCHEMA_VERSION, "k": sequences.k, "names": list(sequences.names)}
    arrays: dict[str, Any] = {name: getattr(sequences, name) for name in _ARRAYS}
    np.savez(stream, meta=np.frombuffer(to_json(meta), np.uint8), **arrays)


def is_index(head: bytes) -> bool:
    """Return whether a file that begins with some bytes may be a saved index: it begins as .npz does."""
    return head.startswith(_MAGIC)


def read_index(path: str, memory: int, stored: NDArray[np.uint8] | None = None) -> ReferenceSequences:
    """Read a saved index.

    Parameters
    ----------
    path : str
    memory : int
        Bytes that its arrays may take.
    stored : ndarray, dtype=uint8, optional
        Bytes of the file, if it is compressed or a stream.

    Raises
    ------
    FormatError
        If the file is none, or damaged.
    OutOfMemoryError
        If it is larger than the memory.
    """
    try:
        with zipfile.ZipFile(path if stored is None else io.BytesIO(stored.tobytes())) as packed:
            arrays = NpzArrays(path, packed, memory)
            if "meta" not in arrays or not set(_ARRAYS) <= set(arrays):
                raise FormatError(f"{path}: this .npz is no index of references", "make one with --save-index")
            meta = _checked_meta(path, arrays["meta"])
            found = {name: _checked_array(path, name, arrays[name]) for name in _ARRAYS}
    except OSError as error:
        if error.errno != errno.EINVAL:  # what comes of places before the beginning of the file
            raise FileAccessError(f"{path}: {error.strerror or error}", "check the file") from error
        raise _damaged(path, in_one_line(error)) from error
    except DAMAGE as error:
        raise _damaged(path, in_one_line(error)) from error
    sequences = ReferenceSequences(meta["k"], tuple(meta["names"]), **found)
    _check_sequences(path, sequences)
    return sequences


def _damaged(path: str, what: str) -> FormatError:
    return FormatError(f"{path}: the index is damaged ({what})", REMAKE)


def _checked_meta(path: str, content: NDArray[Any]) -> dict[str, Any]:
    """Parse the metadata of an index."""
    meta = parse_json(content.tobytes(), errors="surrogateescape")
    if not isinstance(meta, dict) or meta.get("format") != _FORMAT:
        raise FormatError(f"{path}: this .npz is no index of references", "make one with --save-index")
    if meta.get("schema_version") != _SCHEMA_VERSION:
        raise FormatError(f"{path}: an index of another version", "make it anew with --save-index")
    k, names = meta.get("k"), meta.get("names")
    are_names = isinstance(names, list) and bool(names) and all(isinstance(name, str) for name in names)
    if type(k) is not int or not 1 <= k <= K_MAX or not are_names:
        raise _damaged(path, "impossible k or names")
    return meta


def _checked_array(path: str, name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Check the type of an array of an index."""
    if array.ndim != 1 or array.dtype != _ARRAYS[name]:
        raise _damaged(path, f"{name} is of {array.dtype} in {array.ndim} dimensions")
    return np.ascontiguousarray(array)


def _check_sequences(path: str, sequences: ReferenceSequences) -> None:
    """Raise an error for sequences that overlap, or are beyond bases or names."""
    starts, stops, owners = sequences.starts, sequences.stops, sequences.owners
    is_sound = len(starts) == len(stops) + 1 and len(owners) == len(stops) and len(stops) > 0
    is_sound = is_sound and int(starts[0]) >= 0 and 0 <= int(starts[-1]) <= BASES_PER_WORD * len(sequences.bases)
    is_sound = is_sound and bool((starts[:-1] <= stops - sequences.k).all() and (stops <= starts[1:]).all())
    if not (is_sound and int(owners.min()) >= 0 and int(owners.max()) < len(sequences.names)):
        raise _damaged(path, "its sequences are inconsistent")
