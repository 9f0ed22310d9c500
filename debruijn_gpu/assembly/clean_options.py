"""Thresholds of graph cleaning as options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from debruijn_gpu.run.checks import Checked, at_least, between
from debruijn_gpu.run.renaming import renamed_fields

_MOST_LENGTH = 1_000_000  # of thresholds, in multiples of k


@renamed_fields(
    chimera_length="connection_length",
    chimera_ratio="connection_ratio",
    early_chimera_ratio="early_connection_ratio",
)
@dataclass(frozen=True, kw_only=True)
class CleanOptions(Checked):
    """Thresholds of graph cleaning: lengths in multiples of k, coverages relative to a neighbour's."""

    max_rounds: int = 20
    tip_length: float = 3.0
    tip_ratio: float = 0.5
    rare_tip_ratio: float = 0.0  # of tips of a single read, if more than above
    rare_tip_depth: float = 1.5
    short_tip_length: float = 1.0
    connection_length: float = 3.0
    connection_ratio: float = 0.2
    bubble_length: float = 3.0
    #: Errors that recur have a hundredth of the depth, one of five copies of a repeat a quarter of that of the others
    #: (SPAdes' isolate mode: 0.5; MEGAHIT pops any side). Alleles go by the depth of single-copy sequence, see below.
    bubble_ratio: float = 0.1
    #: Of the depth of single-copy sequence. Haplotypes have half of it, copies of a repeat all of it: a side that is
    #: deeper is no variant of its neighbour, nor is one whose neighbours are as deep as two copies. If the depth is
    #: unknown or below the second (0.6 of it in heterozygous samples), no side counts as a variant.
    haplotype_ratio: float = 0.75
    haplotype_depth: int = 8
    #: Of heterozygous samples: their bubbles, which become one where variants are closer than k, have up to so many
    #: k-mers (MEGAHIT's complex bubbles). In all samples a variant has neighbours of up to so much of the depth of
    #: single-copy sequence, while copies of a repeat have neighbours of twice that depth.
    haplotype_length: float = 20.0
    haplotype_flank: float = 1.4
    #: A sample with so many such bubbles is heterozygous: one in so many bases, of a quarter of that depth or more.
    haplotype_spacing: int = 5_000
    least_allele_ratio: float = 0.25
    bubble_indel: float = 0.05
    bubble_rare: float = 0.0  # k-mer depth up to which any better covered path suffices
    #: Of the depth of the other paths into the places at one end; a connection that weak at either end is removed
    #: (MEGAHIT: 0.1). 0: none. Right only where depth may not change that much along a sequence.
    disconnect_ratio: float = 0.0
    #: The same for errors that recur, as in plasmids of many copies: less than half as deep as single-copy sequence.
    recurrent_ratio: float = 0.02
    #: Probability that a branch which reads of one strand alone have is of the genome; up to this it goes.
    strand_chance: float = 0.01
    #: Reads that have a base, at most, for it to be corrected where others outvote them: copies of repeats have more.
    consensus_reads: int = 2
    isolated_length: float = 2.0
    isolated_ratio: float = 0.5
    #: Ratios before the last of several k. A side that is deeper is decided later (MEGAHIT takes 0.2, Li et al.
    #: 2015): copies of a repeat that are one bubble at a small k may be apart at a larger one. A connection of a single
    #: copy between repeats of many copies is no error.
    early_bubble_ratio: float = 0.03
    #: Both ratios where coverage is uneven, if they are more: depth does not tell variants of what is deep from copies.
    uneven_bubble_ratio: float = 0.5
    uneven_early_bubble_ratio: float = 0.1
    #: The first below a k-mer depth of 4.5: sides of bubbles are of one or two reads there, and no ratio tells copies
    #: from errors. Six genomes of 300 kb are covered to 63 instead of 40 % at 3x, and to 84 instead of 82 % at 5x.
    thin_bubble_ratio: float = 1.0
    #: A side of a single read is not handed on: with few reads, the path beside it may break at the next k, and then
    #: the error of that read would be kept.
    early_bubble_rare: float = 1.5
    early_connection_ratio: float = 0.05
    #: Least k-mer depth expected at the next k for that: with less, reads do not decide there.
    deferring_depth: int = 3
    #: Of tips at each k but the first of several, where they are less than above. Most errors went at the first; a dead
    #: end at a larger k may be a place that no read spans, and without it copies of a repeat would be joined. One of
    #: ten copies stays; a single read goes where single-copy sequence has a k-mer depth of more than 4.
    later_short_tip_length: float = 0.0
    later_tip_ratio: float = 0.1
    later_rare_tip_ratio: float = 0.25
    #: Least k-mer depth expected at a k for dead ends to be errors nevertheless: no reads at one of 9 million places.
    later_tip_depth: int = 16
    #: Of words, relative to the read length, that some read holds at the ends of contigs of several k and of reads
    #: without pairs; 0: ends stay as they are, and nothing is cut within unitigs. In 40 sets of reads of generated
    #: genomes, 0.5 and 0.54 left 1 of 15 wrong joins, 0.47 left 2 and 0.4 left 9; of the NGA50 at 6x, 0.5 left 98 %
    #: and 0.54 left 95 %.
    held_length: float = 0.5

    option_names: ClassVar = {"max_rounds": "--cleaning-rounds"}
    checks = (
        at_least("max_rounds", 1),
        between("isolated_length", 1, _MOST_LENGTH),
        *(
            between(f"{kind}_length", 0, _MOST_LENGTH)
            for kind in ("tip", "short_tip", "later_short_tip", "connection", "bubble", "haplotype")
        ),
        *(
            at_least(f"{kind}_ratio", 0)
            for kind in ("tip", "connection", "bubble", "haplotype", "isolated", "disconnect", "recurrent")
        ),
        *(at_least(f"{kind}_tip_ratio", 0) for kind in ("rare", "later", "later_rare")),
        *(at_least(f"early_{kind}_ratio", 0) for kind in ("bubble", "connection")),
        *(at_least(f"{kind}_ratio", 0) for kind in ("uneven_bubble", "uneven_early_bubble", "thin_bubble")),
        *(at_least(name, 0) for name in ("bubble_indel", "bubble_rare", "early_bubble_rare", "rare_tip_depth")),
        *(at_least(name, 0) for name in ("haplotype_depth", "haplotype_flank", "least_allele_ratio")),
        *(at_least(name, 0) for name in ("deferring_depth", "later_tip_depth")),
        at_least("haplotype_spacing", 1),
        between("consensus_reads", 0, 100),
        *(between(name, 0, 1) for name in ("strand_chance", "held_length")),
    )

    @property
    def deferring(self) -> CleanOptions:
        """The options before the last of several k: what is ambiguous there is decided at a larger k."""
        return replace(
            self,
            bubble_ratio=min(self.bubble_ratio, self.early_bubble_ratio),
            bubble_rare=self.early_bubble_rare,
            connection_ratio=min(self.connection_ratio, self.early_connection_ratio),
        )

    @property
    def later(self) -> CleanOptions:
        """The options after the first of several k: dead ends are kept unless they are rare beside another path."""
        return replace(
            self,
            short_tip_length=min(self.short_tip_length, self.later_short_tip_length),
            tip_ratio=min(self.tip_ratio, self.later_tip_ratio),
            rare_tip_ratio=min(self.tip_ratio, self.later_rare_tip_ratio),
        )
