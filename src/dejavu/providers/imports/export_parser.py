"""What exports of chats have in common: one document, many conversations.

An export may have hundreds of megabytes: its conversations are told apart first and decoded one by
one, so that memory is that of the document and of what is said in it. One that was cut short is read
up to the conversation it was cut in, and that as far as it goes.

Tested in: tests/providers/imports/test_imports.py
"""

import re
from abc import abstractmethod
from typing import Any

import msgspec

from dejavu.model import Role, Span, Turn

from ..conversation_builder import ConversationBuilder
from ..formats.entries import Entry
from ..formats.json_lines import UNREADABLE, as_dict, as_str, decode_lenient, repair_truncated
from ..formats.long_lines import BEGINNING, UNCHECKED, is_too_long
from ..parsing import DocumentParser
from . import SKIPPED, longest_export

_NAMED = 100  # items that were passed over
_TRIES = 8  # beginnings of a conversation before the damage
_FIRST = re.compile(rb'\s*\[\s*(?P<item>\{\s*"[^"\\]{1,80}")')
"""How each conversation of a list begins."""

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{},]', re.DOTALL)

Item = tuple[int, bytes]
"""A conversation's offset in the document, and its JSON."""


def _items(data: bytes, at: int = 0) -> list[Item]:
    """The conversations of a list, of a list of lists (several documents), or the one there is."""
    if not data.lstrip().startswith(b"["):
        return [(at, bytes(msgspec.json.decode(data, type=msgspec.Raw)))]
    found, position = list[Item](), 0
    for raw in msgspec.json.decode(data, type=list[msgspec.Raw]):
        item = bytes(raw)
        position = data.find(item, position)
        found += _items(item, at + position) if item.startswith(b"[") else [(at + position, item)]
        position += len(item)
    return found


def _bracketed_items(data: bytes, at: int = 0, *, outer: bool = True) -> list[Item] | None:
    """As `_items`, told apart by brackets alone: a value that is no JSON costs its own item.

    None where the brackets don't close. O(bytes), several times slower.
    """
    found, depth, start = list[Item](), 0, 0
    for token in _TOKEN.finditer(data):
        sign = token.group()
        if sign in b"[{":
            depth += 1
            if depth == 1:
                if sign == b"{":
                    return None
                start = token.end()
        elif sign in b"]}":
            depth -= 1
        if (depth == 1 and sign == b",") or depth == 0:
            item = data[start : token.start()].strip()
            place = at + data.index(item, start)
            listed = outer and item.startswith(b"[")
            inner = _bracketed_items(item, place, outer=False) if listed else None
            if item:
                found += [(place, item)] if inner is None else inner
            start = token.end()
        if depth == 0:
            return found
    return None


class ExportParser(DocumentParser):
    """A list of conversations, each its own thread."""

    def longest(self) -> int:
        """Bytes of an export that is read whole."""
        return longest_export()

    def is_too_large(self, data: bytes) -> bool:  # noqa: ARG002 - as the base has it
        """Never: conversations are decoded one by one."""
        return False

    def decode(self, data: bytes) -> list[Item] | None:
        """Each conversation's JSON; None if the document is none."""
        try:
            return _items(data)
        except (msgspec.DecodeError, RecursionError):
            return _bracketed_items(data)

    def decode_damaged(self, data: bytes) -> list[Item] | None:
        """The conversations before the damage, and what can be read of the one that has it."""
        first = _FIRST.match(data)
        if first is None:
            return None
        end = len(data)
        for _ in range(_TRIES):
            end = data.rfind(first["item"], 0, end)
            if end <= first.start("item"):
                break
            before = self.decode(data[:end].rstrip(b", \t\r\n") + b"]")
            if before is not None:
                return [*before, (end, repair_truncated(data[end:]) or b"null")]
        return self.decode(repair_truncated(data[: 16 * BEGINNING]) or b"null")

    def document(self, value: list[Item], span: Span) -> None:
        """Take every conversation; one that cannot be read costs itself."""
        for place, (offset, item) in enumerate(value):
            own = Span(offset, max(0, min(len(item), span.length - offset)))
            if len(item) > UNCHECKED and is_too_long(item):
                self.drift[UNREADABLE] += 1
                self._skip(f"item {place + 1} of {len(value)}: it is too long (`longest_line`)")
                continue
            conversation = as_dict(decode_lenient(item))
            native = self.native_id(conversation) or f"{self.source.path.stem}/{place}"
            if not conversation or native in self.threads:
                self.drift[UNREADABLE] += 1
                reason = (
                    "it has the id of one before" if conversation else "it is not a conversation"
                )
                self._skip(f"item {place + 1} of {len(value)}: {reason}")
                continue
            thread = ConversationBuilder(self.head(native, **self.facts_of(conversation)))
            for entry in self.messages(conversation):
                self._add(thread, entry, own)
            if not len(thread):
                self._skip(
                    f"item {place + 1} of {len(value)} ({native[:60]}): nothing was said in it"
                )
            self.threads[native] = thread

    def _skip(self, item: str) -> None:
        """Name an item that was passed over; the first of many."""
        if sum(name.startswith(SKIPPED) for name in self.drift) < _NAMED:
            self.drift[f"{SKIPPED}{item}"] += 1

    def native_id(self, conversation: dict[str, Any]) -> str:
        """The conversation's id."""
        return as_str(
            conversation.get("conversation_id")
            or conversation.get("id")
            or conversation.get("uuid")
        )

    def strange(self, kind: str) -> None:
        """Count a kind that is unknown."""
        self.drift[kind[:80]] += 1

    @staticmethod
    def _add(thread: ConversationBuilder, entry: Entry, span: Span) -> None:
        common: dict[str, Any] = {
            "at": entry.at,
            "parent": entry.parent,
            "spans": (span,),
            "native_id": entry.native_id,
        }
        if entry.results:
            thread.append(Turn(role=Role.TOOL, parts=entry.results, **common))
        if entry.parts:
            model = entry.model if entry.role is Role.ASSISTANT else None
            thread.append(Turn(role=entry.role, parts=entry.parts, model=model, **common))

    @abstractmethod
    def facts_of(self, conversation: dict[str, Any]) -> dict[str, Any]:
        """Title and times, as fields of a conversation."""

    @abstractmethod
    def messages(self, conversation: dict[str, Any]) -> list[Entry]:
        """The messages in order."""
