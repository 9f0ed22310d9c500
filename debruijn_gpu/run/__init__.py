"""Runtime: options, resources, threads, scratch files, log, progress."""
