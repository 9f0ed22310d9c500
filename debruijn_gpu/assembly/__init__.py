"""Assembly: unitig graph, cleaning, spelling, contigs and their statistics."""
