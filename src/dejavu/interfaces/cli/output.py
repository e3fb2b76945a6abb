"""Printing: JSON for machines, sanitised text for people.

Takes plain values and text; writes stdout. Every text from an agent goes through the sanitiser;
JSON stays exact, with every character a terminal could act on written as an escape.
"""

import json
import os
import re
import sys
from collections.abc import Iterable
from typing import Any

# DEL, C1, bidi controls and invisible marks: legal in JSON, dangerous on a terminal.
_UNSAFE = re.compile(r"[\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def json_text(value: Any, *, indent: int | None = None) -> str:
    """`value` as JSON: UTF-8 where it is harmless, escapes where it is not, nothing lost."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_json(value: Any) -> None:
    """One JSON document, written at once: its reader may wait for it while the command goes on."""
    print(json_text(value, indent=2 if sys.stdout.isatty() else None), flush=True)


def print_jsonl(values: Iterable[Any]) -> None:
    """One JSON object a line, each written at once."""
    for value in values:
        print(json_text(value), flush=True)


def coloured() -> bool:
    """Whether stdout is a terminal that wants colours (https://no-color.org)."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def paint(text: str, code: str) -> str:
    """`text` (already safe) in the SGR `code`, where colours are wanted."""
    return f"\x1b[{code}m{text}\x1b[0m" if coloured() else text


def line(text: str, width: int | None = None) -> str:
    """A safe single line of `text`, cut to `width` cells with an ellipsis."""
    from wcwidth import wcswidth, wcwidth

    from dejavu.redact.sanitise import sanitise

    safe = sanitise(text, newlines=False).strip()
    if width is None or (0 <= wcswidth(safe) <= width):
        return safe
    used, kept = 0, ""
    for character in safe:
        used += max(wcwidth(character), 0)
        if used > width - 1:
            break
        kept += character
    return kept + "…"


def note(sentence: str) -> None:
    """A remark for the person, on stderr."""
    from dejavu.redact.sanitise import sanitise  # a command that only prints JSON needs it not

    print(sanitise(sentence), file=sys.stderr)
