"""What the command knows of the workers of its cluster."""

from __future__ import annotations

from debruijn_gpu.distributed.cluster import least_memory, workers_of


class _Client:
    """A client whose description of the scheduler has no workers, at first."""

    def __init__(self, n_empty: int, workers: dict[str, dict[str, int]]) -> None:
        self._n_empty, self._workers = n_empty, workers

    def scheduler_info(self, n_workers: int) -> dict[str, object]:
        self._n_empty -= 1
        return {"workers": {} if self._n_empty >= 0 else self._workers}

    def nthreads(self) -> dict[str, int]:
        return {name: worker["nthreads"] for name, worker in self._workers.items()}


def test_workers_are_asked_for_again_where_none_are_described():
    workers = {"a": {"memory_limit": 8 << 30, "nthreads": 2}, "b": {"memory_limit": 3 << 30, "nthreads": 1}}
    assert workers_of(_Client(2, workers)) == workers  # type: ignore[arg-type]
    assert least_memory(_Client(1, workers)) == 3 << 30  # type: ignore[arg-type]


def test_a_cluster_without_workers_has_none():
    assert workers_of(_Client(0, {})) == {}  # type: ignore[arg-type]
