"""Sequences and reads as FASTA, FASTQ and plain text."""
