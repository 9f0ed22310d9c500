"""CPU time of the rounds of an assembly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from debruijn_gpu.run import log
from debruijn_gpu.run.record import StageRecord

#: Stages that begin a round of several k, but for the first, and that follow the last round
_FIRST_STAGE, _STAGES_AFTER = "place reads", ("place reads and pairs", "spell contigs", "Euler trails")


def cpu_seconds_of_rounds(stages: Sequence[StageRecord], n_rounds: int) -> list[float]:
    """Sum the CPU time of the stages of each round; empty if the stages are not those of so many rounds."""
    starts = [i for i, stage in enumerate(stages) if stage.name == _FIRST_STAGE]
    if len(starts) != n_rounds - 1 or any(stage.cpu_s is None for stage in stages):
        return []
    end = next((i for i, stage in enumerate(stages) if stage.name in _STAGES_AFTER), len(stages))
    edges = [0, *starts, max([end, *starts[-1:]])]
    return [sum(stage.cpu_s or 0.0 for stage in stages[a:b]) for a, b in pairwise(edges)]


def shares_of_rounds(seconds: Sequence[float]) -> list[str]:
    """Format the CPU time of each round, and its share of all rounds."""
    total = max(sum(seconds), 1e-9)
    return [f"{one:.1f} s ({100 * one / total:.0f} %)" for one in seconds]


def log_round_times(ks: Sequence[int]) -> None:
    """Log the CPU time of each of several rounds of this run and of those that it continues."""
    run = log.current_run()
    stages = [*run.record.earlier_stages, *(stage.record() for stage in run.stages)]
    shares = shares_of_rounds(cpu_seconds_of_rounds(stages, len(ks))) if len(ks) > 1 else []
    if shares:
        log.logger.info("  CPU time: %s", ", ".join(f"k = {k} {one}" for k, one in zip(ks, shares, strict=True)))
