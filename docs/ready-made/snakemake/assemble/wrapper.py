"""Snakemake wrapper of ``dbg assemble``."""

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")  # noqa: F821 - Snakemake defines it
log = snakemake.log_fmt_shell(stdout=True, stderr=True)  # noqa: F821
reads = snakemake.input.get("reads")  # noqa: F821
outdir = snakemake.output.get("outdir")  # noqa: F821
memory_mb = snakemake.resources.get("mem_mb")  # noqa: F821
threads = snakemake.threads  # noqa: F821

reads = [reads] if isinstance(reads, str) else list(reads)
if len(reads) not in (1, 2):
    raise ValueError(f"input.reads: 1 file of single reads or 2 of mates expected, got {len(reads)}")
first, *second = reads
inputs = "--single {first:q}" if not second else "-1 {first:q} -2 {second[0]:q}"
memory = f"--memory {memory_mb}M" if memory_mb else ""

# Snakemake makes the output directory before the job, which is no obstacle.
shell("dbg assemble " + inputs + " --threads {threads} {memory} {extra} --outdir {outdir:q} {log}")
