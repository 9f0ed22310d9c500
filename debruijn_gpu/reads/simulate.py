"""Simulate reads of a genome: uniformly from both strands, with errors and qualities that agree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.reads.drawing import Random, check_inserts, draw_reads
from debruijn_gpu.reads.genome import Genome
from debruijn_gpu.reads.options import SimulateOptions
from debruijn_gpu.reads.qualities import fastq_text, numbered_names, quality_model
from debruijn_gpu.reads.sequencing import sequence_reads
from debruijn_gpu.reads.truth import truth_names
from debruijn_gpu.run import progress
from debruijn_gpu.run.tuning import tuning

_MOST_READS = 1 << 40


def simulate_reads(genome: Genome, options: SimulateOptions, interleaved: bool = False) -> Iterator[tuple[bytes, ...]]:
    """Reads as FASTQ, a few thousand at a time.

    Parameters
    ----------
    genome : Genome
        Reads cover no N; of a letter that stands for several bases they have one.
    options : SimulateOptions
        What to draw. Without a number of reads (or pairs), it is the depth times the bases of the genome that are
        not N, over those of a read (or pair).
    interleaved : bool
        Both mates in one text.

    Yields
    ------
    tuple of bytes
        The text of the block: one, or one for each mate. Reads are named ``<record>_<number>``, numbered from
        1 through all records, with ``/1`` or ``/2`` for mates; with ``options.truth`` see `truth_names`.

    Raises
    ------
    ParameterError
        If there are 2^40 reads or more, no pairs without N, or no record with room for the insert of a pair.
    """
    if options.paired:
        check_inserts(genome, options)
    model = quality_model(options.length_bp, options.sub_rate, options.indel_rate)
    random = Random(options.seed)
    n_fragments = _n_fragments(genome, options)
    n_mates = 2 if options.paired else 1
    n_block = max(1, tuning().simulated_bases // options.length_bp)
    n_digits = len(str(n_fragments))
    for done in range(0, n_fragments, n_block):
        progress.update(done * n_mates, n_fragments * n_mates, "reads")
        mates = draw_reads(genome, options, random, min(n_block, n_fragments - done))
        numbers = np.arange(done + 1, done + 1 + len(mates[0].first))
        sequenced = [sequence_reads(genome, reads, numbers, options, model, random) for reads in mates]
        names = genome.names[mates[0].records]
        if options.truth:
            columns = truth_names(
                names, numbers, n_digits, genome.lengths[mates[0].records], [one.alignment for one in sequenced]
            )
        else:
            columns = numbered_names(names, numbers, n_digits)
        suffixes = (b"/1", b"/2") if options.paired else (b"",)
        texts = [
            fastq_text(columns, suffix, one.bases, one.qualities)
            for suffix, one in zip(suffixes, sequenced, strict=True)
        ]
        if interleaved:
            texts = [np.concatenate(texts, axis=1).reshape(-1, texts[0].shape[1])]
        yield tuple(text[text != 0].tobytes() for text in texts)


def _n_fragments(genome: Genome, options: SimulateOptions) -> int:
    """Number of reads, or of pairs."""
    n_mates = 2 if options.paired else 1
    wanted = options.depth * genome.n_bases / (options.length_bp * n_mates)
    n_fragments = options.n_reads or max(1, round(min(wanted, _MOST_READS + 1)))
    if n_fragments * n_mates > _MOST_READS:
        option = "--reads" if options.n_reads else "--depth"
        value = options.n_reads or f"{options.depth:g}"
        raise ParameterError(
            f"{option} {value}: expected at most {_MOST_READS:,} reads, got more", f"give a smaller {option}"
        )
    return n_fragments
