"""How anything is run: options, resources, threads, scratch files, log, progress."""
