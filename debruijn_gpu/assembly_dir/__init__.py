"""What an output directory of an assembly holds: written, read again, described."""
