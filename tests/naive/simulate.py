"""Reading with insertions and deletions, base by base."""

from __future__ import annotations

COMPLEMENT = str.maketrans("ACGTN", "TGCAN")


def read_shifted(record, first, reverse, circular, events):
    """Read as many bases as there are events: ``""`` none, ``"-"`` skip a base first, a letter: insert it.

    Deletions are left out where the record would not last.
    """
    step = -1 if reverse else 1
    n_left = first + 1 if reverse else len(record) - first
    if not circular and len(events) + events.count("-") > n_left:
        events = ["" if event == "-" else event for event in events]
    bases, position = [], first
    for event in events:
        if event and event != "-":
            bases.append(event)
            continue
        if event == "-":
            position += step
        base = record[position % len(record)]
        bases.append(base.translate(COMPLEMENT) if reverse else base)
        position += step
    return "".join(bases)
