"""Query samples with sequences: count the k-mers of each record that each sample has."""
