"""``python -m debruijn_gpu`` is ``dbg``."""

from debruijn_gpu.cli import main

if __name__ == "__main__":
    main()
