"""What every tool's answer keeps to: clean texts, bounded sizes, pages, and errors as sentences.

An answer goes to a model, so a secret in it is replaced. Turns are redacted whole (`redacted`), and
every text once more as it leaves, because an excerpt or a memory comes from elsewhere.

Tested in: tests/interfaces/mcp/test_tools.py
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from dejavu.archive import Archive, Hit
from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.archive.redactor import counting_redactor
from dejavu.ingest.catch_up import catch_up
from dejavu.model import DejavuError, InvalidValueError, NotFoundError, Turn, to_iso
from dejavu.model.conversation import seq_of, turn_number
from dejavu.model.json_values import map_strings
from dejavu.model.plural import counted
from dejavu.recall import Event, RecallHit, events
from dejavu.recall.rationale import Rationale
from dejavu.redact.conversation import NEAR, CountingRedactor, redact_turns
from dejavu.redact.sanitise import sanitise

MAX_ITEMS = 50  # of a page
MAX_CHARACTERS = 20_000  # of all texts of an answer
Answer = dict[str, Any]
_COMMAND = re.compile(r"; [^;]*`dejavu .*", re.DOTALL)
_IDS = "; a search returns the ids"  # an agent has tools, and may have no shell


class CallError(DejavuError):
    """A call that cannot be answered; the text is one sanitised sentence for the agent."""


def answer(
    work: Callable[[Archive], Answer], *, write: bool = False, current: bool = False
) -> Answer:
    """Return what `work` returns for the archive, bounded; `current`: with what agents wrote last.

    The archive is opened for each call and closed after it, so that a server that lives for days
    holds no reader.

    Raises:
        CallError: there is no archive, it cannot be read, or `work` found nothing or bad arguments.
    """
    try:
        with open_archive(write=write) as archive:
            extent = catch_up(archive).extent if current else None
            partial: Answer = {} if extent is None else {"partial": extent._asdict()}
            return bounded({**work(archive), **partial})
    except NoArchiveError:
        raise CallError("nothing was captured yet") from None
    except (NotFoundError, InvalidValueError) as error:
        raise CallError(_sentence(_COMMAND.sub(_IDS, str(error)))) from error
    except (DejavuError, OSError, ValueError) as error:
        raise CallError(_sentence(f"{type(error).__name__}: {error}")) from error


@cache
def redactor() -> CountingRedactor:
    """Return the redactor of this process, loaded with the first answer."""
    return counting_redactor()


def redacted(turns: Iterable[Turn]) -> Iterator[Turn]:
    """Yield the turns with every text in them redacted, arguments with their names."""
    return redact_turns(turns, redactor().redact)


def redacted_part(archive: Archive, conversation: str, start: int, stop: int) -> Iterator[Turn]:
    """Yield turns `start` to `stop` redacted: those around them may hold the other half of a secret."""
    around = archive.turns(conversation, max(0, start - NEAR), stop + NEAR)
    return (turn for turn in redacted(around) if start <= turn.seq < stop)


def hit_excerpt(archive: Archive, hit: RecallHit) -> str:
    """Return a hit's excerpt; of a turn with a secret, the beginning of the redacted event.

    An excerpt has lost the names of arguments, and may begin or end inside a secret.
    """
    turns = archive.turns(hit.conversation, hit.seq, hit.seq + 1)
    cleans = redacted_part(archive, hit.conversation, hit.seq, hit.seq + 1)
    for turn, clean in zip(turns, cleans, strict=False):
        if clean != turn:
            kind = (event.excerpt for event in events(clean) if event.kind is hit.kind)
            return next(kind, "")
    return hit.excerpt


def found_excerpt(archive: Archive, hit: Hit) -> str:
    """Return the excerpt of a turn that was searched for; of a turn with a secret, its beginning."""
    turns = archive.turns(hit.conversation, hit.seq, hit.seq + 1)
    cleans = redacted_part(archive, hit.conversation, hit.seq, hit.seq + 1)
    for turn, clean in zip(turns, cleans, strict=False):
        if clean != turn:
            return next((event.excerpt for event in events(clean)), "")
    return hit.excerpt


def hit_texts(archive: Archive, hit: RecallHit) -> Answer:
    """Return what is shown of a hit: its evidence, its prompt and answer, and what it replaces.

    The prompt and the answer stand only where they are not the evidence itself, and in an exchange
    with a secret not at all: an excerpt of them may begin or end inside it.
    """
    clean = hit_excerpt(archive, hit)
    texts: Answer = {"excerpt": clean}
    stop = min(hit.stop, hit.start + MAX_ITEMS) + 1
    turns = list(archive.turns(hit.conversation, hit.start, stop))
    if turns == list(redacted_part(archive, hit.conversation, hit.start, stop)):
        for name, text in (("prompt", hit.question), ("answer", hit.answer)):
            if text and text != hit.excerpt:
                texts[name] = text
    if hit.replaces:
        texts["replaces"] = list(hit.replaces)
    return texts


def _sentence(text: str) -> str:
    return sanitise(text, newlines=False, limit=300)


def bounded(value: Answer) -> Answer:
    """Return the answer with every text redacted and sanitised, all together within their bound."""
    left = [MAX_CHARACTERS]

    def clean(text: str) -> str:
        text = redactor().excerpt(text, forms=True)  # before it is cut: no rule knows half of one
        text = sanitise(text[: max(0, left[0]) + 1], limit=max(1, left[0]))
        left[0] -= len(text)
        return text

    return {key: map_strings(item, clean) for key, item in value.items()}


def page_size(limit: int) -> int:
    """Return `limit` within what a page may hold."""
    return min(MAX_ITEMS, max(1, limit))


def paged(texts: Iterable[str], offset: int) -> Answer:
    """Return a page of the texts, joined by blank lines; `next` is where the following one begins."""
    size = MAX_CHARACTERS - 2_000  # room for the rest of the answer
    skip, page, room = max(0, offset), "", size
    for text in texts:
        piece = sanitise(f"{text}\n\n")
        if skip >= len(piece):
            skip -= len(piece)
            continue
        piece, skip = piece[skip:], 0
        page += piece[:room]
        if len(piece) > room:
            return {"text": page, "next": max(0, offset) + size}
        room -= len(piece)
    return {"text": page, "next": None}


def split_event(event: str) -> tuple[str, int]:
    """Return the conversation and the turn of an event's id (`conversation#turn`).

    Raises:
        InvalidValueError: the turn is not a number.
    """
    conversation, _, number = event.partition("#")
    first = number.partition(".")[0].strip() or "1"
    if not re.fullmatch(r"\d{1,9}", first, re.ASCII):
        raise InvalidValueError(f"{number!r} is not a turn; write conversation#3 (from 1)")
    return conversation.strip(), max(0, seq_of(int(first)))


def event_place(archive: Archive, event: str) -> tuple[str, int]:
    """Return the whole id of an event's conversation, and the `seq` of its turn.

    Raises:
        NotFoundError: there is no such conversation, or it has fewer turns.
        InvalidValueError: the turn is not a number.
    """
    name, seq = split_event(event)
    summary = archive.summary(archive.resolve(name))
    if seq >= summary.turn_count:
        raise NotFoundError(f"{summary.id} has {counted(summary.turn_count, 'turn')}")
    return summary.id, seq


def events_of(turn: Turn, why: Rationale | None) -> list[Event]:
    """Return what happened in a turn, and why, where that was written."""
    return [*events(turn), *([why.event] if why is not None else [])]


def turn_text(turn: Turn, why: Rationale | None) -> str:
    """Return a turn in full: its number, time and role, then a paragraph an event."""
    lines = [f"{event.kind}: {event.text.strip()}" for event in events_of(turn, why)]
    return f"[{turn_number(turn.seq)}] {to_iso(turn.at) or '-'} {turn.role}\n" + "\n".join(lines)
