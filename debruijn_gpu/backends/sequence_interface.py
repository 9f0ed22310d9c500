"""What a backend does for sequences of symbols, beside graphs. Results are the same bytes on `cpu` and `cuda`."""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.graph_interface import GraphBackend
from debruijn_gpu.backends.look_and_say_interface import LookAndSayBackend
from debruijn_gpu.backends.register_interface import RegisterBackend
from debruijn_gpu.backends.sequences.protocol import NecklaceBackend
from debruijn_gpu.backends.spectra.protocol import SpectrumBackend
from debruijn_gpu.backends.spectrum_scoring_interface import ScoringBackend
from debruijn_gpu.backends.symbol_interface import SymbolBackend
from debruijn_gpu.backends.window_interface import WindowBackend
from debruijn_gpu.backends.word_interface import WordBackend


class SequenceBackend(
    GraphBackend,
    LookAndSayBackend,
    RegisterBackend,
    SymbolBackend,
    WindowBackend,
    NecklaceBackend,
    SpectrumBackend,
    ScoringBackend,
    WordBackend,
    Protocol,
):
    """A module with the names of all these."""
