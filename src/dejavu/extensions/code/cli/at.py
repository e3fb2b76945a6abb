"""`dejavu at WHEN [ID|FOLDER]`: one moment, whole: turns, what the model still had, files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import resolve
from dejavu.interfaces.command_line.output import local_time, one_line, print_json, print_note, safe
from dejavu.interfaces.command_line.parameters import Argument, Option
from dejavu.interfaces.filters import parse_time
from dejavu.model import InvalidValueError, Role, to_iso
from dejavu.model.conversation import turn_number

from ..moment import Moment, conversations_at, document, moment
from ..open_index import open_edits
from ..recorded_screen import screen_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dejavu.interfaces.command_line.parameters import Json

_CLOCK = re.compile(r"\d\d:\d\d(:\d\d)?")
_DIGITS = 12  # of a digest, for people
_SHOWN = 200  # characters of a prompt or an answer


def command(
    when: Annotated[
        str, Argument(metavar="WHEN", help="A time: 2d, yesterday, 2026-11-21T10:00:00.")
    ],
    rest: Annotated[
        list[str] | None,
        Argument(
            metavar="ID|FOLDER ...",
            help="A conversation or folder (default: everything at that time).",
            complete="conversations",
        ),
    ] = None,
    recording: Annotated[
        Path | None,
        Option(
            "--recording", metavar="FILE", help="Also show this recording's screen at that time."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show conversations and files as they were at one moment."""
    words = list(rest or ())
    if words and _CLOCK.fullmatch(words[0]):
        when = f"{when} {words.pop(0)}"
    if len(words) > 1:
        raise InvalidValueError(f"name one conversation or folder, not {len(words)}")
    where = words[0] if words else None
    at = parse_time(when)
    if not json:
        print_note(f"at {local_time(at)}")
    screen = None if recording is None else screen_at(recording, at)
    for fault in (screen or {}).get("faults", ()):
        print_note(one_line(fault))
    with open_edits() as (archive, index):
        if where is None:
            found = conversations_at(archive, at)
        elif "/" in where or where in (".", ".."):
            folder = str(Path(where).expanduser().resolve())
            found = conversations_at(archive, at, folder=folder)
        else:
            found = [archive.summary(archive.resolve(resolve(archive, where)))]
        moments = [moment(archive, index, one, at) for one in found]
    if json:
        documents = [document(one) for one in moments]
        print_json({"at": to_iso(at), "conversations": documents, "screen": screen})
        return
    for number, one in enumerate(moments):
        print("\n" * bool(number) + "\n".join(_lines(one)))
    if screen is not None:
        print("\nThe screen showed:\n" + "\n".join(map(safe, screen["rows"])).rstrip())


def _lines(one: Moment) -> Iterator[str]:
    head, last = one.conversation, turn_number(one.turns[-1].seq)
    yield "  ".join(
        one_line(word, 80) if word is head.title else one_line(word)
        for word in (head.id, head.agent, head.workspace, head.title)
        if word
    )
    kept, unsure = one.kept.count(True), one.kept.count(None)
    had = "all" if kept == len(one.turns) else str(kept)
    more = f", perhaps {unsure} more," if unsure else ""
    yield f"  turns 1 to {last} of {head.turn_count}; {had}{more} still in the model's context"
    yield f"  state {one.state}: {one_line(one.reason, _SHOWN)}"
    for role, title in ((Role.USER, "prompt"), (Role.ASSISTANT, "answer")):
        said = next((t for t in reversed(one.turns) if t.role == role and t.text.strip()), None)
        if said is not None:
            yield f"  last {title}: {one_line(said.text, _SHOWN)}"
    for file in one.files:
        digest = file.sha256[:_DIGITS] or "unknown"
        sure = "certain" if file.certain else one_line(file.reason)
        yield f"  {digest:{_DIGITS}}  {one_line(file.path)}  {sure}"
