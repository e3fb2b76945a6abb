"""What exports of chats have in common: one document, many conversations."""

from abc import abstractmethod
from typing import Any

from dejavu.model import Role, Span, Turn

from ..formats.entries import Entry
from ..formats.json_coerce import as_dict, as_list, as_str
from ..formats.json_lines import UNREADABLE
from ..parsing import DocumentParser
from ..thread import Thread
from . import SKIPPED

_NAMED = 100  # items that were passed over


class ExportParser(DocumentParser):
    """A list of conversations, each a thread of its own."""

    def document(self, value: Any, span: Span) -> None:
        """Take every conversation; one that cannot be read costs itself."""
        conversations: list[Any] = [as_dict(value)] if isinstance(value, dict) else as_list(value)
        # An archive of several documents is a list of lists.
        flat = [one for item in conversations for one in (as_list(item) or [item])]
        for place, item in enumerate(flat):
            conversation = as_dict(item)
            native = self.native_id(conversation) or f"{self.source.path.stem}/{place}"
            if not conversation or native in self.threads:
                self.drift[UNREADABLE] += 1
                reason = "it has the id of one before" if conversation else "it is no conversation"
                self._skip(f"item {place + 1} of {len(flat)}: {reason}")
                continue
            thread = Thread(self.head(native, **self.facts_of(conversation)))
            for entry in self.messages(conversation):
                self._add(thread, entry, span)
            if not len(thread):
                self._skip(
                    f"item {place + 1} of {len(flat)} ({native[:60]}): nothing was said in it"
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
    def _add(thread: Thread, entry: Entry, span: Span) -> None:
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
