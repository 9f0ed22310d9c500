"""Commands and options that users of other programs type, and what they are called here; for hints of errors.

Imported when an error is reported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import click

from debruijn_gpu.cli.groups import close_names
from debruijn_gpu.cli.paths import InputFile
from debruijn_gpu.errors import UsageError

#: Words of other programs, by the commands that are meant
COMMANDS = {
    "assemble": "spades spades.py metaspades metaspades.py megahit velvet abyss skesa shovill unicycler minia assembly "
    "asm contigs scaffolds",
    "unitigs": "bcalm cuttlefish ggcat bifrost contract compacted tigs",
    "report": "html multiqc",
    "stats": "quast quast.py n50 fx2tab stat statistics summary info assembly-stats",
    "simulate": "wgsim art art_illumina dwgsim sim reads randomreads",
    "map": "align bwa bowtie2 minimap2 strobealign mapping",
    "screen": "bbduk bbduk.sh fastq-screen fastq_screen deplete decontaminate hostile kraken back_to_sequences",
    "count": "kmc jellyfish fastk dsk kmer k-mers kmer-count",
    "kmers": "kmc_tools meryl kmer-set kmer-sets sets kmer-tools",
    "color": "colors colour colours colored ccdbg unitig-caller themisto fulgor",
    "bin": "metabat metabat2 maxbin maxbin2 concoct vamb semibin semibin2 binning",
    "som": "minisom self-organizing-map kohonen",
    "spectrum": "hist histo genomescope kat kmer-spectrum gce",
    "graph": "convert gfa gfatools network",
    "euler": "eulerian circuit hierholzer trail path",
    "draw": "dot plot bandage view graphviz picture",
    "generate": "random gen make",
    "debruijn": "de-bruijn sequence lyndon necklace lfsr",
    "lookandsay": "look-and-say conway",
    "cyclospec": "peptide peptides mass masses spectra cyclospectrum cyclospectrum.py",
    "sort": "order rank",
    "distinct": "uniq unique rmdup dedup",
    "compact": "awk grep select where",
    "histogram": "hist bins",
    "join": "comm lookup intersect common semi-join",
    "doctor": "check test selftest diagnose env",
    "warmup": "compile",
    "bench": "benchmark time speed",
    "completion": "complete completions bash zsh fish",
}

#: Programs of the system that have no counterpart
SYSTEM = ["head", "tail", "cut", "wc", "cat", "tr", "shuf", "paste", "seq", "tac", "tee", "less", "more", "ls"]

_PAIRS = "pairs of reads are -1 FILE -2 FILE, or --12 FILE if they are interleaved"
_NUMERIC = "leave it out: numbers are always compared by value"
_SEPARATOR = "leave it out: separators of columns are auto-detected"
_COLUMNS = "--key chooses the columns that are compared, --fields those that are written"
_MIN_COUNT = ("--min-count", "--where '>N'")

#: Options of other programs, and candidates: the first that the command has is meant. A candidate is an option, maybe
#: with a value, or a condition (an option, an argument, or READS or INPUT of any command that reads them) and a hint
_SYNONYMS: dict[str, tuple[str | tuple[str, str], ...]] = {
    "--kmer --kmers --kmer-size --kmer-length --kmerlen --klen --k --ksize --k-list --k-min --k-max -K": (
        "-k",
        ("--both-strands", "the length of words is -n N"),
    ),
    "--coverage --cov --fold --fold-coverage -X": ("--depth", "--max-depth"),
    "--in --input --infile --input-file --in-file --file --fasta --fa --fastq --fq --reads --contigs -i -I": (
        ("READS", "reads are arguments of their own ({usage}); pairs are -1 FILE -2 FILE"),
        ("INPUT", "the input is an argument of its own: {usage}"),
    ),
    "--out --output --outfile --out-file --output-file --outdir --out-dir --output-dir --prefix --out-prefix -O": (
        "-o",
    ),
    "--cpus --cpu-threads --cores --procs --processes --num-threads --num-cpu-threads --nproc --nthreads --thread "
    "--jobs --parallel --ncores --nb-cores -j -P": ("-t",),
    "--mem --ram --max-mem --max-memory --max-ram --memory-limit --buffer-size -M -S": ("-m",),
    "--gpu --gpus --cuda --use-gpu": ("--backend cuda", "--backends cuda"),
    "--cpu --no-gpu --use-cpu": ("--backend cpu", "--backends cpu"),
    "--device": ("--backend", "--backends"),
    "--min-abundance --abundance-min --abundance --min-cov --min-coverage --cov-cutoff --cutoff --min-kmer-count "
    "--solidity --lower-count -L": _MIN_COUNT,
    "--min-depth": ("--min-count",),
    "--paired --pair --pairs --paired-end --pe": (("-1", _PAIRS), "--paired"),
    "-p": (("-1", f"{_PAIRS}; threads are -t N"), "--paired", "-t"),
    "--pe1 --pe-1 --pe1-1 --read1 --reads1 --in1 --left --fq1 --R1 --mp1-1": ("-1",),
    "--pe2 --pe-2 --pe1-2 --read2 --reads2 --in2 --right --fq2 --R2 --mp1-2": ("-2",),
    "--pe12 --pe-12 --pe1-12 --interleaved --interlaced --mp1-12": ("--12",),
    "--s --s1 --s-1 --pe-s --pe1-s --se --single-end --unpaired --read": ("-s",),
    "--single": (("INPUT", "the input is an argument of its own: {usage}"),),
    "--isolate": (("--preset", "leave it out: --preset isolate is the default"),),
    "--meta --metagenome --meta-sensitive --meta-large --metaviral": ("--preset meta",),
    "--sc --single-cell --mda": ("--preset single-cell",),
    "--plasmid --metaplasmid": ("--preset plasmid",),
    "--amplicon --corona --rnaviral --tiling": ("--preset amplicon",),
    "--presets --mode --type": ("--preset",),
    "--careful": (("--preset", "leave it out: wrong joins are cut wherever pairs prove them"),),
    "--only-assembler --disable-rr --no-correction --nocorr": (
        ("--preset", "leave it out: reads are not corrected before assembly"),
    ),
    "--resume --restart-from --restart": ("--continue",),
    "--checkpoints --save-checkpoints": ("--checkpoint",),
    "--overwrite": ("--force",),
    "--min-contig-len --min-contig-length --min-length --minlen --min-len --min-size": ("--min-contig",),
    "--scaffolds": (("--no-pairs", "leave it out: scaffolds are written wherever reads are paired"),),
    "--tmp --tmpdir --temp-dir --tempdir --temporary-directory --keep-tmp --keep-tmp-files": ("--tmp-dir",),
    "--read-length --read-len --readlen --len -l": ("--length",),
    "--insert-size --isize --fragment --fragment-size --mflen": ("--insert",),
    "--error-rate --error": ("--sub-rate",),
    "--random-seed": ("--seed",),
    "-C --both-strands": (("--canonical", "leave it out: k-mers are counted in canonical form (--forward: not)"),),
    "--numeric-sort --numeric --general-numeric-sort --human-numeric-sort -g": (("--key", _NUMERIC),),
    "-n": (("--key", _NUMERIC), "--top", "--reads"),
    "-r": ("--reverse", "-s"),
    "--descending --desc": ("--reverse",),
    "-u --uniq": ("--unique",),
    "-c --counts": ("--count", "--min-count"),
    "-k --column --by --group": ("--key",),
    "--field": (("--key", _COLUMNS), "--fields"),
    "-f": ("--fields", "--force"),
    "--delimiter --delim --separator --sep --field-separator -d -F": (("--fields", _SEPARATOR),),
    "--all -a": (("CONTIGS", "leave it out: all rows are always written"),),
    "--tabular": ("--tsv", "--format tsv"),
    "-T": ("--tsv", "--tmp-dir", "--format tsv"),
    "--alphabet-size --sigma --symbols": ("--alphabet",),
    "--order --word-length --window --size --vertices --nodes --edges --steps": ("-n",),
    "--version -V": (("", "'dbg --version' shows it"),),
    "--verbosity": ("-v",),
    "--silent": ("-q",),
    "--test": (("", "'dbg doctor' checks the installation"),),
}
SYNONYMS = {name: candidates for names, candidates in _SYNONYMS.items() for name in names.split()}

#: What Click says where a command takes fewer arguments
_EXTRA = "Got unexpected extra argument"

#: Conditions that hold for all commands that read something
_READERS = {"INPUT", "READS"}


def commands_for(word: str, names: Collection[str]) -> list[str]:
    """Return the commands that a word of another program means, those of a group alone."""
    word = word.lower()
    return [name for name, words in COMMANDS.items() if name in names and word in words.split()]


def no_command(group: str, word: str, names: Collection[str], kind: str) -> UsageError:
    """The error for a word that is no command of a group, with the names that may be meant."""
    is_root = " " not in group
    lists = f"'{group} --help' lists the commands"
    if is_root and word in SYSTEM:
        return UsageError(f"{group} {word}: {kind}", f"'{word}' is a program of its own: {group} ... | {word}; {lists}")
    meant = (commands_for(word, names) if is_root else []) or close_names(word, names)
    close = " or ".join(f"'{group} {name}'" for name in meant)
    question = f"did you mean {close}? " if close else ""
    return UsageError(f"{group} {word}: {kind}", question + lists)


def reworded(error: click.UsageError, args: Sequence[str]) -> UsageError:
    """Word an error of Click as ours, with a hint.

    Parameters
    ----------
    error : click.UsageError
    args : sequence of str
        The command line, which has words such as ``-abundance-min`` as they were typed.
    """
    context = error.ctx
    path = context.command_path if context else "dbg"
    lists = f"'{path} --help' lists the options"
    if context is None:
        return UsageError(error.format_message(), lists)
    if isinstance(error, click.NoSuchOption):
        typed = _typed(error.option_name, args)
        return UsageError(f"{path} {typed}: no such option", hint_for(typed, context) + lists)
    if error.message.startswith(_EXTRA):
        extra = error.message.removeprefix(_EXTRA).partition("(")[2].rpartition(")")[0]
        return UsageError(f"{path}: unexpected extra argument: {extra}", f"usage: {_usage(context)}; {lists}")
    parameter = getattr(error, "param", None)
    words = [_typed(name, args) for name in getattr(parameter, "opts", ())]
    for word in set(words).difference(getattr(parameter, "opts", ())):  # -kmer-size 31 is -k mer-size
        return UsageError(f"{path} {word}: no such option", hint_for(word, context) + lists)
    if parameter is not None and parameter.name == "threads" and _finds(context.command, "--fields"):
        return UsageError(error.format_message(), f"-t is the number of threads; {_SEPARATOR[len('leave it out: ') :]}")
    return UsageError(error.format_message(), lists)


def hint_for(name: str, context: click.Context) -> str:
    """Return what to write instead of an unknown option, to be continued; empty if that is not known."""
    for candidate in SYNONYMS.get(name) or SYNONYMS.get(f"-{name}", ()):
        option, hint = candidate if isinstance(candidate, tuple) else (candidate, "")
        if _holds(option, context.command):
            text = hint.format(usage=_usage(context)) if hint else f"use {_spelled(option, context.command)}"
            return f"{text}; "
    close = " or ".join(_close(name, context.command))
    return f"did you mean {close}? " if close else ""


def _typed(name: str, args: Sequence[str]) -> str:
    """Return the option that was typed: Click reports ``-abundance-min`` as ``-a``."""
    if len(name) == 2 and name not in args:
        words = [arg.partition("=")[0] for arg in args if arg.startswith(name)]
        return next((word for word in words if f"-{word}" in SYNONYMS), name)
    return name


def _holds(condition: str, command: click.Command) -> bool:
    """Whether a command has an option, or reads what is named."""
    if condition in _READERS:
        inputs = [p for p in command.params if isinstance(p, click.Argument) and isinstance(p.type, InputFile)]
        return bool(inputs) and (condition == "INPUT" or _finds(command, "-1") is not None)
    if condition.isupper():
        return any(str(p.metavar).strip("[].") == condition for p in command.params if isinstance(p, click.Argument))
    return not condition or _finds(command, condition.split(" ")[0]) is not None


def _finds(command: click.Command, name: str) -> click.Option | None:
    """Return the option of a name, unless it is hidden."""
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            if name in (*option.opts, *option.secondary_opts):
                return option
    return None


def _spelled(candidate: str, command: click.Command) -> str:
    """Spell an option as help does, or as given if it has a value: ``-m/--memory SIZE``."""
    option = _finds(command, candidate)
    if option is None:
        return candidate
    value = "" if option.is_flag or option.count or option.metavar is None else f" {option.metavar}"
    return "/".join(sorted(option.opts, key=len)) + value


def _usage(context: click.Context) -> str:
    """Usage of a command, without its options."""
    pieces = [piece for piece in context.command.collect_usage_pieces(context) if piece != "[OPTIONS]"]
    return " ".join([context.command_path, *pieces])


def _close(name: str, command: click.Command) -> Iterator[str]:
    """Yield options that are mistyped, or shortened, as a name."""
    names = [
        each
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden
        for each in (*option.opts, *option.secondary_opts)
        if each.startswith("--")
    ]
    if name.startswith("--"):
        yield from [each for each in names if each.startswith(name)] or close_names(name, names)
