"""Colours and attributes of every cell, ours against tmux's, on the recordings. Prints JSON.

    python benchmarks/terminal_colors.py [--at 0.25 0.5 0.75 1.0] [--only NAME ...]

Needs tmux and the material beside the repo (../shared or DEJAVU_SHARED). Each recording is fed to
both up to some shares of its length; tmux is read with `capture-pane -e`. Rows whose text differs
(tmux has its own ideas of some widths) are not compared, and counted apart; nor are cells after
the last one written in a row, which `capture-pane` leaves out even where they have a background.
"""

import argparse
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import terminal_corpora as corpora

from dejavu.screen import Snapshot, Terminal

SHARED = Path(os.environ.get("DEJAVU_SHARED", Path(__file__).parents[2] / "shared"))
Look = tuple[object, ...]
_FLAGS = {1: "bold", 2: "dim", 3: "italic", 5: "blink", 7: "inverse", 8: "invisible", 9: "strike"}
_OFF = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 25: ("blink",), 27: ("inverse",)}
_OFF |= {28: ("invisible",), 29: ("strike",)}


def _apply(codes: list[int], look: dict[str, Any]) -> None:
    """SGR as tmux writes it, which is the plainest form."""
    at = 0
    while at < len(codes):
        code = codes[at]
        at += 1
        if code == 0:
            look.clear()
        elif code in (38, 48):
            name = "fg" if code == 38 else "bg"
            if codes[at] == 5:
                look[name], at = codes[at + 1], at + 2
            else:
                look[name], at = "#{:02x}{:02x}{:02x}".format(*codes[at + 1 : at + 4]), at + 4
        elif code in (39, 49):
            look.pop("fg" if code == 39 else "bg", None)
        elif code == 4:
            look["underline"] = 1
        elif code in _FLAGS:
            look[_FLAGS[code]] = True
        elif code in _OFF:
            for name in _OFF[code]:
                look.pop(name, None)
        elif 30 <= code < 50:
            look["fg" if code < 40 else "bg"] = code % 10
        elif 90 <= code < 108:
            look["fg" if code < 100 else "bg"] = code % 10 + 8


def _look(get: Any) -> Look:
    names = ("bold", "dim", "italic", "blink", "inverse", "invisible", "strike")
    underline = bool(get("underline"))
    return (get("fg"), get("bg"), underline, *(bool(get(name)) for name in names))


def theirs(captured: str, columns: int, lines: int) -> list[list[tuple[str, Look]]]:
    """The cells of `capture-pane -e -N`: character and look, "" in the right half of a wide one."""
    cells: list[list[tuple[str, Look]]] = []
    look: dict[str, Any] = {}
    for line in captured.split("\n")[:lines]:
        row: list[tuple[str, Look]] = []
        for sequence, text in re.findall(r"\x1b\[([0-9;:]*)m|([^\x1b]+)", line):
            if text:
                plain = Snapshot.from_rows([text])
                shown = _look(look.get)
                row += [(plain.crop(0, x, x + 1), shown) for x in range(plain.columns)]
            else:
                # 4:3 and other underline styles are one underline here
                codes = [int(c.split(":")[0] or 0) for c in sequence.split(";")]
                _apply(codes, look)
        cells.append(row[:columns])
    return cells


def ours(snapshot: Snapshot) -> list[list[tuple[str, Look]]]:
    """The same of our snapshot."""
    plain = _look({}.get)
    cells: list[list[tuple[str, Look]]] = []
    for y, runs in enumerate(snapshot.styles):
        row = [(snapshot.crop(y, x, x + 1), plain) for x in range(snapshot.columns)]
        for start, end, style in runs:
            look = _look(lambda name, style=style: getattr(style, name))
            row[start:end] = [(text, look) for text, _ in row[start:end]]
        cells.append(row)
    return cells


def compare(path: Path, shares: list[float], make_tmux: Any) -> dict[str, object]:
    """Cells that look alike, of those with the same text."""
    data, columns, lines = corpora.output_of(path)
    terminal, tmux = Terminal(columns, lines), make_tmux(columns, lines)
    fed = same = compared = other = 0
    worst: list[str] = []
    try:
        for share in shares:
            # Before a sequence, not inside one: tmux is asked for its state here.
            stop = len(data) if share >= 1 else data.find(b"\x1b[", int(len(data) * share))
            for at in range(fed, stop, 4096):
                terminal.feed(data[at : min(at + 4096, stop)])
                tmux.feed(data[at : min(at + 4096, stop)])
            fed = stop
            tmux.cursor()  # waits until tmux has read everything
            captured = tmux.t.run("capture-pane", "-p", "-e", "-N", "-t", tmux.name)
            terminal_now = Terminal(columns, lines)
            terminal_now.feed(terminal.dump(history=False))  # the present, not a held-back frame
            mine = ours(terminal_now.snapshot())
            for y, (my, their) in enumerate(
                zip(mine, theirs(captured, columns, lines), strict=True)
            ):
                my_text = "".join(cell[0] for cell in my).rstrip()
                if my_text != "".join(cell[0] for cell in their).rstrip():
                    other += 1
                    continue
                for x, (a, b) in enumerate(zip(my, their, strict=False)):
                    compared += 1
                    same += a[1] == b[1]
                    if a[1] != b[1] and len(worst) < 3:
                        worst.append(f"{share:.2f} row {y} column {x} {a} tmux {b[1]}")
    finally:
        tmux.close()
    return {
        "cells": compared,
        "rows with other text": other,
        "same": round(same / max(1, compared), 5),
        "differ": worst,
    }


def main() -> None:
    """Compare what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--at", type=float, nargs="*", default=[0.2, 0.4, 0.6, 0.8, 1.0])
    parser.add_argument("--only", nargs="*", default=[""])
    options = parser.parse_args()
    tools = SHARED / "tools" / "terminal"
    if not tools.is_dir():
        raise SystemExit(f"needs {tools}, which is not part of the repo (set DEJAVU_SHARED)")
    sys.path.insert(0, str(tools))
    from engines import TmuxEngine

    report = {
        name: compare(path, sorted(options.at), TmuxEngine)
        for name, path in corpora.recordings(SHARED).items()
        if any(part in name for part in options.only)
    }
    cells = sum(row["cells"] for row in report.values())  # type: ignore[misc]
    same = sum(row["cells"] * row["same"] for row in report.values())  # type: ignore[operator]
    print(json.dumps({"recordings": report, "all": round(same / max(1, cells), 5)}, indent=1))


if __name__ == "__main__":
    main()
