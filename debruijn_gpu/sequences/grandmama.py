"""The grandmama sequence: Lyndon words in colexicographic order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.sequences.containers import RootPlace
from debruijn_gpu.sequences.sequence import BLOCK_SYMBOLS, CyclicSequence, check_order, sequential_only

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend

_SKIPPED_AT_ONCE = 1 << 28  # symbols; in between, an interrupt is heard


class GrandmamaSequence(CyclicSequence):
    """The roots of all necklaces of n letters, in colexicographic order of the necklaces (Dragon, Hernandez, Sawada,
    Williams and Wong 2018). A place is reached by walking there.

    Parameters
    ----------
    n_symbols : int
        k, 2 to 2^24.
    order : int
        n, any.
    """

    def __init__(self, n_symbols: int, order: int) -> None:
        check_order(order)
        self.n_symbols = n_symbols
        self.order = order
        self.length = n_symbols**order

    def blocks(
        self,
        start: int,
        stop: int,
        backend: SequenceBackend,
        letters: NDArray[np.uint8] | None = None,
        block: int = BLOCK_SYMBOLS,
    ) -> Iterator[Array]:
        """See `CyclicSequence.blocks`.

        Raises
        ------
        CudaUnavailableError
            If the backend is not the CPU.
        """
        if not backend.is_sequential:
            raise sequential_only("grandmama")
        host = backends.host()
        if start == stop:
            return
        place = RootPlace(np.zeros(self.order, np.uint32), 1, 0)
        for begin in range(0, start, _SKIPPED_AT_ONCE):
            host.sequences.skip_colex(place, self.n_symbols, min(_SKIPPED_AT_ONCE, start - begin))
        for begin in range(start, stop, block):
            yield host.sequences.follow_colex(place, self.n_symbols, min(block, stop - begin), letters)
