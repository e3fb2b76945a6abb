"""Finding files below a folder that may be as deep as its author likes.

`Path.glob` and `os.walk` of Python 3.11 call themselves for each level, so a chain of a thousand folders ends
them in an error and hides everything else. Here nothing deeper than `DEPTH` is looked at. Links are not
followed. Costs a directory listing per folder.

Tested in: tests/providers/droid/test_files.py
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

DEPTH = 40
"""Folders below the first one; no agent's own tree is half as deep."""


def folders_below(
    top: Path, closed: Callable[[OSError], object] = lambda _: None
) -> Iterator[Path]:
    """The folder itself and all below it; `closed` gets those that cannot be listed."""
    waiting = [(top, 0)]
    while waiting:
        folder, depth = waiting.pop()
        yield folder
        try:
            with os.scandir(folder) as entries:
                inside = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError as error:
            closed(error)
            continue
        if depth < DEPTH:
            waiting.extend((Path(path), depth + 1) for path in sorted(inside, reverse=True))


def glob_below(folder: Path, pattern: str) -> Iterator[Path]:
    """As `folder.glob(pattern)`; its first `**/` means at most `DEPTH` folders."""
    before, deep, rest = pattern.partition("**/")
    if not deep:
        yield from folder.glob(pattern)
        return
    for top in folder.glob(before.rstrip("/")) if before else (folder,):
        for below in folders_below(top):
            yield from below.glob(rest)
