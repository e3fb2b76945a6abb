"""What a recording's screen showed at a moment, secrets replaced. O(bytes until then).

Tested in: tests/extensions/code/cli/test_at.py
"""

from pathlib import Path
from typing import Any

from dejavu.archive.redactor import archive_redactor
from dejavu.capsule import Output, Recording, Resize
from dejavu.model import InvalidValueError, NotFoundError, to_iso
from dejavu.screen import Terminal
from dejavu.sessions.observer.screen_server import picture

_FIELDS = ("columns", "lines", "rows", "title", "alternate", "cursor")
_COARSE = 1.0  # seconds: asciicast notes its beginning in whole ones


def screen_at(path: Path, at: float) -> dict[str, Any]:
    """The screen of the recording `path` at `at` (Unix seconds), in the shape of `dejavu screen --json`.

    `faults` are sentences about lines that could not be read.

    Raises:
        InvalidValueError: the file cannot be read, or does not say when it began.
        NotFoundError: it had not begun then, or had ended.
    """
    try:
        recording = Recording(path)
    except OSError as error:
        raise InvalidValueError(f"--recording {path}: {error.strerror}") from error
    begun = recording.started_at
    if begun is None:
        raise InvalidValueError(f"--recording {path}: it does not say when it began")
    if at < begun:
        raise NotFoundError(f"{path} begins later, at {to_iso(begun)}")
    terminal = Terminal(recording.columns or 80, recording.lines or 24, history=0)
    last, whole = 0.0, True
    for event in recording:
        last = event.at if isinstance(event, (Output, Resize)) else last
        if begun + last > at:
            whole = False
            break
        if isinstance(event, Output):
            terminal.feed(event.data)
        elif isinstance(event, Resize):
            terminal.resize(event.columns, event.lines)
    if whole and begun + last + _COARSE < at:
        raise NotFoundError(f"{path} ends before, at {to_iso(begun + last)}")
    shown = picture(terminal.snapshot(), archive_redactor())
    return {**{name: shown[name] for name in _FIELDS}, "faults": list(recording.faults)}
