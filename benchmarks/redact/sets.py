"""Which sets of layouts and of ordinary screens tune the rules, and which judge them.

The modules `layouts*.py` and `ordinary*.py` have them, in tables `TUNING`, `OF_…` and `HELDOUT…` of names
and what draws them. A module of layouts has `NAMELESS`, too: the layouts that may lose the secret's
name. What is in `*_heldout*.py` judges, if there is any, and no rule may be made after a look at it.
Once a set has judged, its module is renamed and tunes from then on.
"""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.redact.layouts import Layout
from benchmarks.redact.ordinary import Kind

PARTS = ("tuning", "held_out")
_TABLE = re.compile(r"TUNING|OF_\w+|HELDOUT\w*")


def _modules(kind: str, part: str) -> list[Any]:
    """The modules of a kind, `layouts` or `ordinary`, in the order of their names."""
    names = sorted(path.stem for path in Path(__file__).parent.glob(f"{kind}*.py"))
    return [
        import_module(f"benchmarks.redact.{name}")
        for name in names
        if name.startswith(f"{kind}_heldout") is (part == "held_out")
    ]


def _drawn(module: Any) -> list[tuple[str, Any]]:
    """The names of a module's tables and what draws them."""
    tables = [table for name, table in vars(module).items() if _TABLE.fullmatch(name)]
    return [entry for table in tables for entry in table.items()]


def _tables(kind: str, part: str) -> dict[str, Any]:
    """What a part draws, by name; a name that another set took first has its module's name, too."""
    found: dict[str, Any] = {}
    for module in _modules(kind, part):
        for name, draw in _drawn(module):
            taken = found.get(name, draw) is not draw
            found[f"{name} of {module.__name__.rpartition('_')[2]}" if taken else name] = draw
    return found


LAYOUTS: dict[str, dict[str, Layout]] = {part: _tables("layouts", part) for part in PARTS}
KINDS: dict[str, dict[str, Kind]] = {part: _tables("ordinary", part) for part in PARTS}
NAME_LOST = frozenset(
    draw
    for part in PARTS
    for module in _modules("layouts", part)
    for name, draw in _drawn(module)
    if name in getattr(module, "NAMELESS", ())
)
"""What may lose the secret's name."""
