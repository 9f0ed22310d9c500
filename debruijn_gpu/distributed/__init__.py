"""The same stages on many workers, by Dask distributed: the only room that imports it."""
