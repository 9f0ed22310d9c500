"""The loop of PageRank, which both backends share."""

from __future__ import annotations

from collections.abc import Callable

from debruijn_gpu.errors import ParameterError

#: One iteration: takes the rank that each vertex gets whatever its edges, gives the sum of all changes of rank and the
#: sum of the ranks of vertices without edges out.
Step = Callable[[float], tuple[float, float]]


def iterate(step: Step, dangling: float, n_vertices: int, damping: float, tolerance: float, max_iterations: int) -> int:
    """Iterate until ranks stay; see `ComponentBackend.page_rank`.

    Parameters
    ----------
    step : Step
    dangling : float
        Sum of the first ranks of vertices without edges out.
    n_vertices : int
        At least 1.
    damping, tolerance, max_iterations
        As in `ComponentBackend.page_rank`.

    Returns
    -------
    int
        Number of iterations.
    """
    change = 0.0
    for iteration in range(1, max_iterations + 1):
        change, dangling = step((1 - damping + damping * dangling) / n_vertices)
        if change < tolerance * n_vertices:
            return iteration
    raise ParameterError(
        f"PageRank does not stand still after {max_iterations} iterations: the last one changed ranks by {change:.1e},"
        f" and {tolerance * n_vertices:.1e} is allowed",
        "allow more iterations, a greater tolerance or less damping",
    )
