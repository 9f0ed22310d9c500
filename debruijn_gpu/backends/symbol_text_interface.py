"""What a backend does with symbols as text. Text is on the host, and so are they."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

#: In a table of the codes of bytes: no symbol, and nothing to mind either
SKIPPED, ALIEN = -1, -2


class SymbolTextBackend(Protocol):
    """A module with these names."""

    def encode_letters(self, text: NDArray[np.uint8], codes_of: NDArray[np.int16]) -> tuple[NDArray[np.uint8], int]:
        """The codes of some text, and the position in it of the first byte that is no symbol, where encoding ends; -1
        if there is none.

        Parameters
        ----------
        text : ndarray, dtype=uint8
        codes_of : ndarray, dtype=int16, shape=(256,)
            The code of each byte, `SKIPPED` or `ALIEN`.
        """

    def spell_names(
        self, codes: NDArray[Any], names: NDArray[np.uint8], offsets: NDArray[np.int64]
    ) -> NDArray[np.uint8]:
        """The name of each code, one after another; that of code c is ``names[offsets[c]:offsets[c + 1]]``."""
