"""Operations on text on the host: numbers, names, graphs and records: the CPU side."""
