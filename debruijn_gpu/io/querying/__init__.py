"""Read the index of a query, run it over files, and write what it finds."""
