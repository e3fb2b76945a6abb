"""What a session's conversation says of itself: title, last prompt, last words, model, tokens.

Read from the archive as turns are stored, each turn once and the last one again, since it may have
grown. Texts are cut and redacted, for they stand in the session's status file. Cost: O(new turns).
"""

from collections.abc import Callable
from typing import Any

from dejavu.archive import Archive
from dejavu.model import NotFoundError, Role, Turn, Vector

PROMPT = 500  # characters kept of a prompt ...
WORDS = 2000  # ... and of an answer, its end
_READ = 20_000  # characters that are looked at for either


class ConversationFacts:
    """The facts of one session's conversation, whichever that is at the time."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._id = ""
        self._stored: list[int] = []  # input and output tokens, cost in millionths, of whole turns
        self._next = 0
        self._texts: dict[str, str] = {}
        self._model: str | None = None

    def read(self, archive: Archive, conversation: str) -> dict[str, Any]:
        """Return the fields; an empty dict where the conversation is not there."""
        if conversation != self._id:
            self._id, self._next, self._texts, self._model = conversation, 0, {}, None
            self._stored = [0, 0, 0]
        try:
            summary = archive.summary(conversation)
            turns = list(archive.turns(conversation, self._next))
        except NotFoundError:
            return {}
        for turn in turns:
            self._note(turn)
        for turn in turns[:-1]:
            self._stored = _added(self._stored, turn)
        self._next += max(0, len(turns) - 1)
        tokens = _added(self._stored, turns[-1]) if turns else self._stored
        return {
            "title": "" if Vector.SCREEN in summary.vectors else self._redact(summary.title),
            "turns": summary.turn_count,
            "version": summary.agent_version,
            "model": self._model,
            "last_prompt": self._texts.get("user", ""),
            "last_words": self._texts.get("assistant", ""),
            "tokens": {"input": tokens[0], "output": tokens[1]},
            "cost": tokens[2] / 1e6 or None,
        }

    def _note(self, turn: Turn) -> None:
        self._model = turn.model or self._model
        if turn.vector is Vector.SCREEN:  # what the screen shows is kept in the archive alone
            return
        if turn.role not in (Role.USER, Role.ASSISTANT) or not (text := turn.text.strip()):
            return
        # Redacted before it is cut: half a secret is not known as one.
        if turn.role is Role.USER:
            self._texts["user"] = self._redact(text[:_READ])[:PROMPT]
        else:
            self._texts["assistant"] = self._redact(text[-_READ:])[-WORDS:]


def _added(totals: list[int], turn: Turn) -> list[int]:
    usage = turn.usage
    if usage is None:
        return totals
    added = (usage.input_tokens or 0, usage.output_tokens or 0, int(1e6 * (usage.cost or 0)))
    return [total + more for total, more in zip(totals, added, strict=True)]


__all__ = ["ConversationFacts"]
