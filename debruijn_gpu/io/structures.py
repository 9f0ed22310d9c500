"""Convert trees of dataclasses, lists and arrays to JSON values with arrays aside, and back.

Only dataclasses that are listed can be built, so that a file cannot name others. Types are kept: tuples, bytes, NumPy
numbers and dictionaries with keys of any kind come back as what they were.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PLAIN = (bool, int, float, str, type(None))


class Structures:
    """Dataclasses that may be part of a value.

    Parameters
    ----------
    *classes : type
        Dataclasses, whose fields are all arguments of their constructors.
    """

    def __init__(self, *classes: type) -> None:
        self._classes = {one.__name__: one for one in classes}

    def encode(self, value: Any, arrays: list[NDArray[Any]]) -> Any:
        """Return the JSON value of a tree; its arrays, in host memory, are appended to ``arrays``.

        Raises
        ------
        TypeError
            For a class that is not listed.
        """
        if isinstance(value, np.generic):
            return {"scalar": self._number_of(np.asarray(value), arrays)}
        if isinstance(value, _PLAIN):
            return value
        if isinstance(value, list):
            return [self.encode(one, arrays) for one in value]
        if isinstance(value, np.ndarray):
            return {"array": self._number_of(value, arrays)}
        if isinstance(value, bytes):
            return {"bytes": self._number_of(np.frombuffer(value, np.uint8), arrays)}
        if isinstance(value, tuple):
            return {"tuple": [self.encode(one, arrays) for one in value]}
        if isinstance(value, dict):
            return {"dict": [[self.encode(key, arrays), self.encode(one, arrays)] for key, one in value.items()]}
        return self._encode_dataclass(value, arrays)

    def _encode_dataclass(self, value: Any, arrays: list[NDArray[Any]]) -> Any:
        name = type(value).__name__
        if not is_dataclass(value) or self._classes.get(name) is not type(value):
            raise TypeError(f"{name} is not among the classes that can be saved")
        members = {field.name: self.encode(getattr(value, field.name), arrays) for field in fields(value)}
        return {"class": name, "members": members}

    @staticmethod
    def _number_of(array: NDArray[Any], arrays: list[NDArray[Any]]) -> int:
        arrays.append(array)
        return len(arrays) - 1

    def decode(self, value: Any, arrays: list[NDArray[Any]]) -> Any:
        """Return the tree that a JSON value and its arrays are of.

        Raises
        ------
        ValueError, TypeError, LookupError
            If it is not a value of `encode`.
        """
        if isinstance(value, _PLAIN):
            return value
        if isinstance(value, list):
            return [self.decode(one, arrays) for one in value]
        kind, content = next(iter(value.items()))
        if kind == "array":
            return arrays[content]
        if kind == "scalar":
            return arrays[content][()]
        if kind == "bytes":
            return arrays[content].tobytes()
        if kind == "tuple":
            return tuple(self.decode(one, arrays) for one in content)
        if kind == "dict":
            return {self.decode(key, arrays): self.decode(one, arrays) for key, one in content}
        if kind == "class":
            members = {name: self.decode(one, arrays) for name, one in value["members"].items()}
            return self._classes[content](**members)
        raise ValueError(f"{kind} is no kind of value")
