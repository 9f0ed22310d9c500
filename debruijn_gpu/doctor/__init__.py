"""Check the installation and the machine."""
