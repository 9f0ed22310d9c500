"""Write, read and describe the output directory of an assembly."""
