"""Files of k-mer by sample matrices: text, NumPy and SciPy arrays, and zarr directories; and of prevalences."""
