"""Self-organizing maps of tables of numbers, and genome bins of contigs."""
