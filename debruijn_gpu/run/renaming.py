"""Former names in the Python API: each works for one version, with a `DeprecationWarning`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

_Class = TypeVar("_Class", bound=type)


def warn_of_old_name(old: str, new: str, depth: int = 2) -> None:
    """Warn the caller ``depth`` calls above that a name has changed."""
    message = f"{old} is now {new}; the former name goes with the next version"
    warnings.warn(message, DeprecationWarning, stacklevel=depth + 1)


def renamed_fields(**new_names: str) -> Callable[[_Class], _Class]:
    """Decorator of a dataclass that accepts former names of fields, as keywords and as attributes."""

    def decorate(kind: _Class) -> _Class:
        made: Callable[..., None] = kind.__init__  # type: ignore[misc]

        @wraps(made)
        def make(self: Any, *values: Any, **named: Any) -> None:
            for old in new_names.keys() & named.keys():
                warn_of_old_name(f"{kind.__name__}({old}=...)", new_names[old])
                named[new_names[old]] = named.pop(old)
            made(self, *values, **named)

        def find(self: Any, name: str) -> Any:
            if name not in new_names:
                raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}", name=name, obj=self)
            warn_of_old_name(f"{kind.__name__}.{name}", new_names[name])
            return getattr(self, new_names[name])

        setattr(kind, "__init__", make)  # noqa: B010 (mypy refuses the assignment)
        setattr(kind, "__getattr__", find)  # noqa: B010
        return kind

    return decorate
