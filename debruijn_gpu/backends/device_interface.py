"""What every backend does."""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.assembly_interface import AssemblyBackend
from debruijn_gpu.backends.sequence_interface import SequenceBackend


class DeviceBackend(SequenceBackend, AssemblyBackend, Protocol):
    """A module with the names of both."""
