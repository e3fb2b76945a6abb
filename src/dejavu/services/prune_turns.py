"""Turns taken out of a conversation for good: what they said goes, their places in it stay.

A turn's texts are looked for in the raw of every source of its conversation, and masked there, in
turns, titles and parsers' states, of the same length, so that no other turn changes its number. What
the archive keeps of them is digests (`archive.withheld_turns`): they do not come back when a source
is read again, rewritten or parsed again. What another turn says, too, stays, and is named.

Costs O(raw of the conversation's sources), and O(store) to leave nothing in free pages.

Tested in: tests/interfaces/command_line/test_prune_turn.py
"""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from dejavu.archive import Archive, NamespaceTxn
from dejavu.archive.maintenance.old_copies import LeftBehind
from dejavu.archive.redactor import redaction_key
from dejavu.archive.withheld import NAMESPACE, Mask, count_change, masked_conversation, masked_turn
from dejavu.archive.withheld_turns import RECORD, TEXT, turn_mask, withhold_texts
from dejavu.ingest.reparse import reparse
from dejavu.model import (
    Blob,
    Conversation,
    Extension,
    InvalidValueError,
    LegalHoldError,
    NotFoundError,
    Turn,
)
from dejavu.model.conversation import turn_number
from dejavu.model.json_values import strings_in
from dejavu.recall import Memory
from dejavu.redact.conversation import values_of
from dejavu.redact.turn_mask import (
    SHORT,
    STRUCTURE,
    SUBSTRING,
    Extents,
    Literal,
    in_bytes,
    literals,
    record_digest,
    text_digest,
)

from .erase import erase_letters

_MARK = re.compile(r"\[pruned\]\**|\*+")
_LOOKED_FOR, _HITS = 200, 50  # characters of a line, and turns that are found by it
_ENCODED = 64  # characters from which a value without blanks is no id
_IDS = frozenset(("id", "_id", "uuid", "messageid", "message_id"))
_PIECE = 4  # characters of a line or a word that can be told from any other


class PrunedTurns(NamedTuple):
    """What went, or would go.

    quoted: turns of the conversation that repeat some of it, and stay; memories: the ids of those
    that quote it; others: conversations that were looked through for the same texts; left: older
    copies of the archive that could not be cleaned.
    """

    conversation: str
    turns: tuple[int, ...]
    quoted: tuple[int, ...]
    memories: tuple[str, ...]
    others: tuple[str, ...] = ()
    left: tuple[LeftBehind, ...] = ()


class Selection:
    """The texts that go with some turns, and those of the others, which stay."""

    def __init__(self, conversation: Conversation, seqs: Collection[int]) -> None:
        """Select turns of a whole conversation.

        Raises:
            NotFoundError: there is no such turn.
            InvalidValueError: a turn says nothing that others do not say as well.
        """
        self.conversation = conversation
        gone = [turn for turn in conversation.turns if turn.seq in seqs]
        if len(gone) < len(set(seqs)):
            raise NotFoundError(f"{conversation.id} has the turns {_extent(conversation)}")
        self.turns = tuple(turn.seq for turn in gone)
        self._kept = {
            turn.seq: list(strings_of(turn)) for turn in conversation.turns if turn.seq not in seqs
        }
        stays = {text for texts in self._kept.values() for text in texts}
        self._stays = "\0".join(stays)
        self.texts: set[str] = set()
        for turn in gone:
            said = set(texts_of(turn))
            if said and said <= stays:
                same = [turn_number(seq) for seq, texts in self._kept.items() if said & set(texts)]
                sharing = _listed(sorted({turn_number(turn.seq), *same}))
                every = ",".join(map(str, sorted({*map(turn_number, self.turns), *same})))
                raise InvalidValueError(
                    f"turns {sharing} share text and go only together: --turn {conversation.id}#{every}"
                )
            self.texts |= said - stays
        self._ids = {turn.native_id for turn in gone if turn.native_id}
        self._joined = "\0".join(self.texts)
        self._long = [text for text in self.texts if len(text) >= SUBSTRING]
        self._lines = {
            line.strip() for text in self._long for line in text.splitlines()
            if len(line.strip()) >= SUBSTRING and line.strip() not in self._stays
        }  # fmt: skip
        self.spans = [(span.offset, span.offset + span.length) for t in gone for span in t.spans]
        self.kept_spans = [
            (span.offset, span.offset + span.length)
            for turn in conversation.turns
            if turn.seq not in seqs
            for span in turn.spans
        ]

    def goes(self, text: str, *, own: bool = False) -> bool:
        """Whether a string value of raw is, holds or is a part of what goes; `own`: of its record."""
        body = text.strip()
        if text in self.texts or (body and body in self.texts):
            return True
        if len(body) < SUBSTRING or _MARK.fullmatch(body) or body in self._stays:
            return False
        if body in self._joined or any(needle in text for needle in self._long):
            return True
        lines = [line.strip() for line in body.splitlines()]
        if own and any(line in part for part in lines for line in self._lines):
            return True
        return len(lines) > 1 and all(
            line in self._joined for line in lines if len(line) >= _PIECE
        ) and any(len(line) >= SUBSTRING for line in lines)  # fmt: skip

    def names(self, value: Literal) -> bool:
        """Whether a value is the id of a turn that goes, as its own record has it."""
        return value.key.lower() in _IDS and value.text in self._ids

    def stays(self, text: str) -> bool:
        """Whether a value is one of a turn that stays."""
        return text in self._stays

    def is_piece(self, text: str) -> bool:
        """Whether a short value is a part of what goes: a message that was written in pieces."""
        return bool(text.strip()) and text in self._joined

    @property
    def quoted(self) -> tuple[int, ...]:
        """The turns that stay and hold a text that goes, or a long line of one."""
        return tuple(
            seq
            for seq, texts in self._kept.items()
            if any(part in text for text in texts for part in (*self._long, *self._lines))
        )

    def quotes(self, text: str) -> bool:
        """Whether a text of another turn holds what goes, or is a part of it."""
        body = text.strip()
        return any(part in text for part in (*self._long, *self._lines)) or (
            body in self.texts or (len(body) >= SUBSTRING and body in self._joined)
        )


@dataclass
class _Digests:
    """What the archive keeps of what goes."""

    key: bytes
    scopes: tuple[str, ...]
    texts: set[tuple[bytes, int]] = field(default_factory=set[tuple[bytes, int]])
    records: dict[bytes, Extents] = field(default_factory=dict[bytes, Extents])

    def add(self, text: str) -> None:
        """Note a text."""
        for scope in self.scopes if len(text) < SHORT else ("",):
            self.texts.add((text_digest(self.key, text, scope), len(text)))


def prune_turns(archive: Archive, selection: Selection) -> PrunedTurns:
    """Take the turns out; raises as what it calls does, with nothing half done in one source.

    Raises:
        LegalHoldError: the conversation, or one that has the same turns, is held.
    """
    name = selection.conversation.id
    own = archive.sources.of(name)
    family = _family(archive, selection.conversation)
    for one in (name, *family):
        if reason := archive.backend.hold_on(one):
            raise LegalHoldError(
                f"{one} is under legal hold: {reason}; nothing was taken out. An owner of the "
                "archive ends a hold with `dejavu team release`"
            )
    keys = list(dict.fromkeys(key for one in (name, *family) for key in archive.sources.of(one)))
    digests = _Digests(redaction_key(), (name, *family, *keys))
    for text in selection.texts:
        digests.add(text)
    for key in keys:
        for generation in range(archive.sources.raw_extent(key)[0] + 1):
            has_spans = key in own and generation == archive.sources.raw_extent(key)[0]
            data = b"".join(archive.sources.raw(key, generation))
            _note_raw(data, selection, digests, has_spans=has_spans)

    def withhold(txn: NamespaceTxn) -> None:
        withhold_texts(txn, digests.texts, digests.records)
        count_change(txn)

    others = tuple(dict.fromkeys((*family, *_others(archive, selection))))
    archive.namespace(NAMESPACE).change(withhold)
    for one in (name, *others):
        _mask(archive, one)
    memories = quoting_memories(archive, selection)
    memory = Memory(archive)
    for identity in memories:
        memory.forget(identity)
    left = archive.maintenance.erase_masked(
        lambda copy: _clean_copy(archive, copy, (name, *others), memories)
    )
    erase_letters([text.encode("utf-8", "replace") for text in selection.texts])
    return PrunedTurns(name, selection.turns, selection.quoted, memories, others, left)


def _family(archive: Archive, conversation: Conversation) -> tuple[str, ...]:
    """Return the forks, sub-agents and parents of a conversation, whose files may hold its turns."""
    return tuple(
        one.id
        for one in archive.scan()
        if conversation.id == one.parent or (one.id == conversation.parent)
    )


def _others(archive: Archive, selection: Selection) -> tuple[str, ...]:
    """Return other conversations in which a longer text of those that go occurs, such as forks."""
    found: dict[str, None] = {}
    for text in selection.texts:
        if len(text) >= SHORT:
            line = max(text.splitlines(), key=len).strip()[:_LOOKED_FOR]
            hits = archive.search(line, exact=True, limit=_HITS)
            found.update((hit.conversation, None) for hit in hits)
    found.pop(selection.conversation.id, None)
    return tuple(found)


def quoting_memories(archive: Archive, selection: Selection) -> tuple[str, ...]:
    """Return the ids of the memories that quote what goes."""
    return tuple(one.id for one in Memory(archive).list() if selection.quotes(one.text))


def texts_of(turn: Turn) -> Iterator[str]:
    """Yield what a turn says, a string value at a time; ids and names of tools are none."""
    parts = tuple(part for part in turn.parts if not isinstance(part, Extension))
    for value in values_of(msgspec.structs.replace(turn, meta={}, parts=parts)):
        yield from _worth_finding(value)
    for part in turn.parts:
        if isinstance(part, Blob):
            yield part.content
        elif isinstance(part, Extension):  # ids, kinds and times are no words of anybody's
            yield from (text for text in _worth_finding(part.data) if _is_said(text))


def strings_of(turn: Turn) -> Iterator[str]:
    """Yield every string value of a turn, ids included."""
    for value in values_of(turn):
        yield from _worth_finding(value)
    yield from texts_of(turn)


def _is_said(text: str) -> bool:
    return len(text) >= _ENCODED or any(char.isspace() for char in text)


def _worth_finding(value: Any) -> Iterator[str]:
    """The strings of a JSON value that hold more than blanks or a mark of ours."""
    return (text for text in strings_in(value) if text.strip() and not _MARK.fullmatch(text))


def _note_raw(data: bytes, selection: Selection, digests: _Digests, *, has_spans: bool) -> None:
    """Note the values of one source's raw that go. O(raw)."""
    own: list[tuple[str, list[Literal], bool]] = []
    others: set[tuple[str, str]] = set()
    offset = 0
    for line in data.splitlines(keepends=True):
        stop = offset + len(line)
        text = line.decode("utf-8", "surrogateescape")
        values = list(literals(text))
        is_own = has_spans and _overlaps(selection.spans, offset, stop)
        is_own = is_own or any(selection.names(value) for value in values)
        is_shared = has_spans and _overlaps(selection.kept_spans, offset, stop)
        for value in values:
            if value.is_json and value.text not in selection.texts:
                continue
            if selection.goes(value.text, own=is_own and not is_shared):
                digests.add(value.text)
            elif not is_own:
                others.add((value.key, value.text))
        if is_own:
            own.append((text, values, is_shared))
        offset = stop
    for text, values, is_shared in own:
        places = [
            (value.start, value.stop)
            for value in values
            if not value.is_json
            and (value.key, value.text) not in others
            and value.key.lower() not in STRUCTURE
            and not selection.goes(value.text, own=not is_shared)
            and not selection.stays(value.text)
            and (selection.is_piece(value.text) or (not is_shared and _is_said(value.text)))
        ]
        if places:
            record = text.encode("utf-8", "surrogateescape")
            digests.records[record_digest(digests.key, record)] = in_bytes(text, places)


def _overlaps(spans: Sequence[tuple[int, int]], start: int, stop: int) -> bool:
    return any(first < stop and start < last for first, last in spans)


def _mask(archive: Archive, name: str) -> bool:
    """Mask what is withheld in one conversation and its sources; whether there was anything."""
    mask = archive.namespace(NAMESPACE).change(turn_mask)
    if mask is None:
        return False
    keys = archive.sources.of(name)
    for key in keys:
        mask.scope = (key, *archive.sources.conversations(key))
        archive.maintenance.mask_source(key, mask)
    reparse(archive, only=keys)  # titles, and the states of parsers
    mask.scope = (name, *keys)
    return _mask_turns(archive, name, mask) or bool(keys)


def _mask_turns(archive: Archive, name: str, mask: Mask) -> bool:
    """Mask turns that no raw holds: imported from elsewhere, or read from a screen."""
    whole = archive.get(name)
    turns = tuple(masked_turn(turn, mask) for turn in whole.turns)
    clean = msgspec.structs.replace(masked_conversation(whole, mask), turns=turns)
    if clean == whole:
        return False
    archive.put(clean)
    return True


def _clean_copy(
    archive: Archive, copy: Archive, names: Sequence[str], memories: Sequence[str]
) -> bool:
    """Mask in an older copy of the archive what is withheld in it."""
    memory = Memory(copy)
    forgotten = [memory.forget(identity) for identity in memories]
    changed = any(forgotten)
    withheld = archive.namespace(NAMESPACE)
    items = {**dict(withheld.items(TEXT)), **dict(withheld.items(RECORD))}

    def withhold(txn: NamespaceTxn) -> None:
        for key, value in items.items():
            txn.put(key, value)
        count_change(txn)

    copy.namespace(NAMESPACE).change(withhold)
    for name in names:
        with suppress(NotFoundError):  # the copy is older than the conversation
            copy.summary(name)
            changed = _mask(copy, name) or changed
    return changed


def _extent(conversation: Conversation) -> str:
    seqs = [turn.seq for turn in conversation.turns]
    return f"{seqs[0]} to {seqs[-1]}" if seqs else "none"


def _listed(seqs: Sequence[int]) -> str:
    *shown, last = map(str, seqs)
    if len(seqs) > 8:
        shown, last = shown[:8], f"{len(seqs) - 8} more"
    return f"{', '.join(shown)} and {last}" if shown else last
