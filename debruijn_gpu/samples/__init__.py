"""Samples: read sample sheets, count each sample once, and join the counts of all to a sparse matrix."""
