"""Iterate PageRank: the arithmetic and loop of both backends.

Ranks are whole numbers of 2^-62 (int64), so that sums do not depend on their order and all backends give the same
bytes. The sum of all ranks is 2^62 less what rounding down takes, 1 in each vertex and edge. With the factors of
`page_rank`, all float64:

    share of a vertex = int64(float64(rank) * factor of the vertex)
    what it hands along an edge = int64(float64(share) * weight of the edge), or its share where there are no weights
    new rank = base + int64(damping * float64(sum of what it is handed))

No product is added to anything, so that no compiler can fuse the two. The factor of a vertex is 0 if its edges out
weigh nothing; else 1 over their number, or 1 if there are weights, which are then divided by their sum over the row.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.run import progress

#: The rank 1.
UNIT = 1 << 62

#: One iteration: takes the base, gives the sum of the changes of all ranks, and of the ranks of vertices with factor 0.
Step = Callable[[int], tuple[int, int]]


def iterate(step: Step, dangling: int, n_vertices: int, damping: float, tolerance: float, max_iterations: int) -> int:
    """Iterate until ranks stay; see `GraphOperations.page_rank`.

    Parameters
    ----------
    step : Step
    dangling : int
        Sum of the first ranks of vertices with factor 0.
    n_vertices : int
        At least 1.
    damping, tolerance, max_iterations
        As in `GraphOperations.page_rank`.

    Returns
    -------
    int
        Number of iterations.
    """
    goal = tolerance * n_vertices
    change = first = 0
    for iteration in range(1, max_iterations + 1):
        change, dangling = step(int(((1 - damping) * UNIT + damping * dangling) / n_vertices))
        if change / UNIT < goal:
            return iteration
        first = first or change
        if 0 < change < first and goal > 0:  # changes shrink by about the same factor each time
            expected = iteration * math.log(first / UNIT / goal) / math.log(first / change)
            progress.update(iteration, min(math.ceil(expected) + 1, max_iterations), "iterations")
    raise ParameterError(
        f"PageRank still moves after {max_iterations} iterations: the last one changed ranks by {change / UNIT:.1e} in"
        f" sum, and less than {goal:.1e} would do",
        "allow more iterations, a greater tolerance or less damping",
    )
