"""Generated genomes of different composition, cut into contigs."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.binning.features import Contigs


def markov_genome(n_bases, seed, evenness=30.0):
    """A sequence in which each base depends on the three before it, as codes."""
    random = np.random.default_rng(seed)
    ends = np.cumsum(random.dirichlet([evenness] * 4, 64), axis=1).tolist()
    draws = random.random(n_bases).tolist()
    codes, state = bytearray(n_bases), 0
    for i, draw in enumerate(draws):
        row = ends[state]
        code = (draw >= row[0]) + (draw >= row[1]) + (draw >= row[2])
        codes[i] = code
        state = (state << 2 | code) & 63
    return np.frombuffer(bytes(codes), np.uint8)


def mixed_contigs(genomes, depths, seed, shortest=5000, longest=50_000):
    """Contigs of several genomes, shuffled and on either strand, and the genome of each."""
    random = np.random.default_rng(seed)
    pieces = []
    for number, (genome, depth) in enumerate(zip(genomes, depths, strict=True)):
        at = 0
        while len(genome) - at >= shortest:
            length = int(np.exp(random.uniform(np.log(shortest), np.log(longest))))
            if len(genome) - at - length < shortest:
                length = len(genome) - at
            piece = genome[at : at + length]
            pieces.append(
                (3 - piece[::-1] if random.random() < 0.5 else piece, number, depth * random.uniform(0.9, 1.1))
            )
            at += length
    pieces = [pieces[i] for i in random.permutation(len(pieces))]
    offsets = np.concatenate([[0], np.cumsum([len(codes) for codes, _, _ in pieces])]).astype(np.int64)
    contigs = Contigs(
        [f"contig_{i}" for i in range(1, len(pieces) + 1)],
        np.concatenate([codes for codes, _, _ in pieces]).astype(np.uint8),
        offsets,
        np.array([[depth] for _, _, depth in pieces]),
    )
    return contigs, np.array([number for _, number, _ in pieces])


def completeness_and_purity(bins, truth, lengths):
    """Of each genome, the share of its bases in its best bin; of each bin, that of its commonest genome."""
    sizes = np.zeros((truth.max() + 1, bins.max() + 1), np.int64)
    np.add.at(sizes, (truth, bins), lengths)
    binned = sizes[:, 1:]
    return binned.max(axis=1) / sizes.sum(axis=1), binned.max(axis=0) / binned.sum(axis=0)
