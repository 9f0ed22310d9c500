"""Sort, distinct, compact, histogram and semi-join of records: compositions of operations of a backend."""
