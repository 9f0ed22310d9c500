"""Files of k-mer sets: our own format, KFF, KMC databases, text and FASTA."""
