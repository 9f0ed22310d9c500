"""Alignments of reads: the sequences that reads are mapped to, and lines of GAF and PAF."""
