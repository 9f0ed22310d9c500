"""Run an assembly of `dbg assemble`: contigs to standard output, or all results into a directory."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from debruijn_gpu.assembly.options import SMALLEST_ROTATION, AssembleOptions
from debruijn_gpu.assembly_dir.directory import LOG, OutputDirectory, clear_leftovers, listed
from debruijn_gpu.backends.core import startup
from debruijn_gpu.cli.expert_options import option_text
from debruijn_gpu.distributed.place import assemble_at
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.options import RunOptions


@dataclass(frozen=True)
class Target:
    """Output directory, and what to do with an earlier run there."""

    outdir: Path
    force: bool
    continues: bool
    saves_all: bool


def assemble_to_stdout(inputs: ReadInputs, options: AssembleOptions, run: RunOptions, dask: str | None) -> None:
    """Assemble reads, and write the contigs to standard output."""
    from debruijn_gpu.assembly.statistics import stats_of_contigs
    from debruijn_gpu.io.fastx.writing import write_fasta
    from debruijn_gpu.io.output import open_output
    from debruijn_gpu.run import log

    _log_preset(options)
    assembly = assemble_at(dask, inputs, options, run)
    reported = assembly.reported
    with open_output(None) as stream:
        write_fasta(stream, reported, assembly.bases_per_kmer, rotated_to=assembly.rotated_to)
    log.report("%s", stats_of_contigs(reported).sentence())


def assemble_to_directory(
    inputs: ReadInputs, options: AssembleOptions, run: RunOptions, target: Target, dask: str | None
) -> None:
    """Assemble reads, and write all results into a directory, or resume an earlier run there."""
    from debruijn_gpu.assembly_dir.identity import identify
    from debruijn_gpu.assembly_dir.resuming import missing_results, stages_in
    from debruijn_gpu.assembly_dir.round_times import log_round_times
    from debruijn_gpu.assembly_dir.writing import record_results, write_assembly, write_record
    from debruijn_gpu.reports.making import write_page
    from debruijn_gpu.run import log

    outdir, identity = target.outdir, identify(inputs, options)
    missing = missing_results(outdir, identity) if target.continues and not target.force else None
    if missing == []:
        clear_leftovers(outdir)
        log.report("%s holds the results of this run already: nothing to continue", outdir)
        return
    with ExitStack() as stack:
        directory = stack.enter_context(OutputDirectory(outdir, target.force or missing is not None))
        stack.enter_context(log.log_file(directory.log_path, outdir / LOG))
        log.log_start([*inputs.paths, *([] if options.rotate == SMALLEST_ROTATION else [options.rotate])])
        for pair in zip(inputs.first, inputs.second, strict=True):
            log.logger.debug("mates: %s and %s", *pair)
        _log_preset(options)
        if missing:
            log.logger.warning("%s: %s missing or empty: the run is made again", outdir, listed(missing))
        saved = stack.enter_context(stages_in(outdir, identity, target.continues, target.saves_all))
        assembly = assemble_at(dask, inputs, options, run.with_tmp_dir(outdir), saved)
        startup.release_device()
        stats = write_assembly(assembly, options, directory)
        log.report("%s", stats.sentence())
        log_round_times(assembly.counts.choice.ks)
        record = log.log_end()
        write_record(record, options, run, directory)
        write_page(assembly, directory)
        record_results(record, directory)
    log.report("results are in %s", outdir)


def _log_preset(options: AssembleOptions) -> None:
    """Log the preset, unless it is the default, and which of its values are in force."""
    from debruijn_gpu.run import log

    if options.preset != AssembleOptions.preset:
        log.logger.info("preset %s: %s", options.preset, option_text(options.preset_values()) or "no value in force")
