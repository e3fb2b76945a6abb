"""Layouts that judge: none until the next set is written by another hand.

Data for `elsewhere.py`. Nothing may be tuned on it: a layout whose failure taught something leaves this
module. `FRESH` maps a name to a layout; `NAMELESS` names those that may lose the secret's name.
"""

from benchmarks.redact.layouts import Layout

__all__ = ["FRESH", "NAMELESS"]

FRESH: dict[str, Layout] = {}
NAMELESS: set[str] = set()
