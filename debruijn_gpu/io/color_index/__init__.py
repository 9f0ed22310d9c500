"""Files of colour indexes (``.dbgc``)."""
