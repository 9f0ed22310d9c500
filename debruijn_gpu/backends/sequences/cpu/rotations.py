"""Find the smallest rotation of a text."""

from __future__ import annotations

from debruijn_gpu.backends.core.cpu.decorators import kernel


@kernel
def smallest_rotation(text):
    """Find the smallest rotation of a cyclic text; see `HostSequenceOperations.smallest_rotation`."""
    n = len(text)
    best, rival, matched = 0, 1, 0
    while rival < n and matched < n:
        left, right = best + matched, rival + matched
        a = text[left if left < n else left - n]
        b = text[right if right < n else right - n]
        if a == b:
            matched += 1
            continue
        if a < b:  # no rotation that starts within the match behind the rival can win
            rival += matched + 1
        else:
            best, rival = max(best + matched + 1, rival), max(best + matched + 1, rival) + 1
        matched = 0
    return best
