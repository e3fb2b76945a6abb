"""What a search found, as lines: hits below their conversations; the last line counts the rest.

Lines are safe to print. O(hits).
"""

import re
from collections.abc import Iterator, Sequence

from dejavu.archive import Hit
from dejavu.model import Conversation
from dejavu.model.conversation import turn_name

from ..search_answer import FoundConversation
from .output import NARROW, coloured, one_line, safe, style
from .terminal import ending, folder, on_terminal, when, width

_PLACE = 21  # cells of a turn's name
_ROLE = 9
_PIPED = 300  # cells of an excerpt where stdout is no terminal
_BEFORE = 3  # one part of this many of an excerpt's cells may precede what was found


def hit_lines(found: Sequence[FoundConversation]) -> Iterator[str]:
    """The lines; fitted to the terminal where stdout is one."""
    for summary, hits, more in found:
        yield _heading(summary)
        for hit in hits:
            place = style(f"{one_line(turn_name(hit.conversation, hit.seq)):{_PLACE}}", "36")
            yield f"  {place} {hit.role:{_ROLE}} {_excerpt(hit)}"
        if more:
            yield style(f"  {more} more in this conversation", "2")


def _heading(summary: Conversation) -> str:
    at = when(summary.ended_at or summary.started_at, "%Y-%m-%d").rstrip()
    machine = "" if summary.instance == "local" else f" on {one_line(summary.instance, 30)}"
    facts = f"{at} {one_line(summary.agent, 20)}{machine}"
    if not on_terminal():
        title = one_line(summary.title, 70) or "(no title)"
        return f"{title}  {facts}  {one_line(summary.workspace, 60)}"
    room = max(20, width() - len(facts) - 4)
    title = one_line(summary.title, max(20, room * 2 // 3)) or "(no title)"
    place = ending(folder(summary.workspace), max(8, room - _cells(title)))
    return f"{style(title, '1')}  {style(f'{facts}  {place}', '2')}"


def _excerpt(hit: Hit) -> str:
    """The excerpt in one line, what was found in it standing out where colours are wanted."""
    if not on_terminal():
        return one_line(hit.excerpt, _PIPED)
    room = max(20, width() - _PLACE - _ROLE - 4)
    pieces = list[tuple[str, bool]]()
    at = 0
    for start, stop in hit.marks:
        if start >= at:
            before = hit.excerpt[at:start]
            if not pieces and _cells(safe(before)) > room // _BEFORE and _too_long(hit, room):
                before = "…" + before[-(room // _BEFORE) :]
            pieces += [(safe(before), False), (safe(hit.excerpt[start:stop]), True)]
            at = stop
    pieces.append((safe(hit.excerpt[at:]), False))
    return "".join(_cut(pieces, room))


def _too_long(hit: Hit, room: int) -> bool:
    return _cells(safe(hit.excerpt)) > room


def _cut(pieces: list[tuple[str, bool]], room: int) -> Iterator[str]:
    """The pieces, styled, in `room` cells; an ellipsis says that there was more."""
    left = room if sum(_cells(text) for text, _ in pieces) <= room else room - 1
    for text, found in pieces:
        size = _cells(text)
        fits = text if size <= left else _beginning(text, left)
        left -= size
        if fits:
            yield style(fits, "1;33") if found and coloured() else fits
        if left < 0:
            yield "…"
            return


def _beginning(text: str, room: int) -> str:
    """What of a text fits in `room` cells, with the blank before its first word."""
    blank = text[: len(text) - len(text.lstrip())][:room]
    return blank + one_line(text, max(0, room - len(blank)) + 1).removesuffix("…")


def _cells(text: str) -> int:
    """The cells of a safe text."""
    if re.fullmatch(NARROW, text):
        return len(text)
    from wcwidth import wcswidth  # its tables cost a quarter of a quick command

    return max(0, wcswidth(text))
