"""Time operations on CPU and GPU."""
