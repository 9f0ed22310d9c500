"""What a backend does to check walks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from debruijn_gpu.backends.arrays.protocol import Array

NONE = -1


@dataclass(frozen=True)
class WalkFaults:
    """What is wrong with walks that should use every edge of a graph once: the first fault of each kind, or -1.

    Attributes
    ----------
    walk : int
        Walk that does not begin where the one before it ends (the first: at 0), or ends before it begins; the number of
        walks, if the last does not end with the steps.
    out_of_range : int
        Position of a step that is no edge of the graph.
    gap : int
        Position of a step whose head is not the tail of the next step of the walk; after the last step of a circuit
        comes its first. Not looked for where a walk begins or ends wrongly.
    edge : int
        The least edge that the steps do not hold exactly once.
    """

    walk: int = NONE
    out_of_range: int = NONE
    gap: int = NONE
    edge: int = NONE

    def __bool__(self) -> bool:
        return self != WalkFaults()


class CheckBackend(Protocol):
    """A module with these names."""

    def check_walks(self, row_ptr: Array, col: Array, offsets: Array, steps: Array, circular: Array) -> WalkFaults:
        """Whether walks use every edge of a graph once, one step leading to the next.

        Parameters
        ----------
        row_ptr, col : the graph
        offsets : int64 (n + 1,)
        steps : uint32 or uint64 (n_steps,)
            Edge ids; see `Walks`.
        circular : bool (n,)
        """
