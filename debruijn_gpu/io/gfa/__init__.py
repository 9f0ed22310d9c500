"""GFA 1.0 files: each line type is parsed in one place (`segments`, `links`) and written in one place (`writing`)."""
