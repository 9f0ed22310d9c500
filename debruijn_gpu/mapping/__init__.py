"""Map reads to the segments of a graph, or to contigs."""
