"""What a hook is: a payload an agent hands to a program at a point of its life.

Payloads are parsed as lines of a spool, `{"t": moment, "payload": {...}}` (`encode_entry` writes
one; a bare payload is read, too) into turns with vector `hook`; `status_of` reads what a payload
says of the agent's state. Who calls hooks, spools and sends them is the caller's business.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from ...parsing import facts_of
from ...protocol import Source
from ..streams.jsonl import LineParser

Status = Literal["working", "blocked", "idle", "error"]
"""What a payload can say of an agent: `scrapers.State` in words, without those it cannot know."""


def encode_entry(payload: Any, at: float) -> bytes:
    """A payload that came at `at` (Unix seconds), as a line of a spool."""
    entry = {"t": at, "payload": payload}
    try:
        return msgspec.json.encode(entry) + b"\n"
    except UnicodeEncodeError:  # a lone surrogate, which an agent's JSON may escape
        return json.dumps(entry).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class Hook:
    """One agent's hooks."""

    agent: str
    parser_class: type[LineParser]
    events: tuple[str, ...]
    """The events worth registering, as the agent's configuration names them."""
    status: Callable[[Mapping[str, Any]], Status | None]
    session: Callable[[Mapping[str, Any]], str]

    def status_of(self, payload: Mapping[str, Any]) -> Status | None:
        """What the payload says of the session's state; None if nothing."""
        return self.status(payload)

    def session_of(self, payload: Mapping[str, Any]) -> str | None:
        """The session the payload belongs to, in the agent's words."""
        return self.session(payload) or None

    def transcript_of(self, payload: Mapping[str, Any]) -> str | None:
        """The session file that the payload points to, if it does: the better vector."""
        path = payload.get("transcript_path")
        return path if isinstance(path, str) and path else None

    def parser(
        self, source: Source, state: bytes | None = None, *, restart: bool = False
    ) -> LineParser:
        """A parser at the start of a spool, or where `state` left off.

        Raises:
            StaleStateError: another version of the parser wrote `state`; parse the raw again.
        """
        parser = self.parser_class(source, {} if state is None else facts_of(state))
        if state is not None and not restart:
            parser.resume(state)
        return parser
