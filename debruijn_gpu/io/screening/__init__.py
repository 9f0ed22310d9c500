"""Read references of a screen, write the reads that it keeps, and report what matched."""
