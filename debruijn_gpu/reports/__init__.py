"""Pages for the browser: one file each, that needs no network."""
