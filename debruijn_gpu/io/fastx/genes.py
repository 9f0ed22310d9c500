"""Read the genes by which circular contigs are rotated."""

from __future__ import annotations

from debruijn_gpu.alphabet import BASES
from debruijn_gpu.assembly.rotation import LONGEST_GENE_BP, SHORTEST_GENE_BP, Gene
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.fastx.fasta import read_fasta
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.run.plain_text import counted, one_line, shorten

_REMEDY = "give genes such as dnaA or repA as nucleotides, not as protein: one record each"
_MOST_BYTES = 100_000_000  # of all genes


def read_genes(path: str) -> tuple[Gene, ...]:
    """Read genes from FASTA, in its order.

    Raises
    ------
    DbgError
        If the file cannot be read, or a record is no gene of `SHORTEST_GENE_BP` to `LONGEST_GENE_BP` nucleotides.
    """
    genes: list[Gene] = []
    try:
        for name, letters in read_fasta(path, _MOST_BYTES):
            shown = one_line(name) or f"gene_{len(genes) + 1}"
            genes.append(_checked(Gene(shown, bytes(letters).replace(b"U", b"T")), display_name(path)))
    except FormatError as error:
        raise FormatError(error.what, _REMEDY) from None
    return tuple(genes)


def _checked(gene: Gene, source: str) -> Gene:
    """Return a gene of a proper length that consists of nucleotides."""
    where, n_bp = f"{source}: record {shorten(gene.name)}", len(gene.sequence)
    if not SHORTEST_GENE_BP <= n_bp <= LONGEST_GENE_BP:
        limits = f"{SHORTEST_GENE_BP} to {LONGEST_GENE_BP:,} bases"
        raise FormatError(f"{where}: expected a gene of {limits}, got {counted(n_bp, 'base')}")
    n_other = len(gene.sequence.translate(None, BASES))
    if 2 * n_other > n_bp:
        raise FormatError(f"{where}: expected nucleotides, got {n_other:,} other letters of {n_bp:,}")
    return gene
