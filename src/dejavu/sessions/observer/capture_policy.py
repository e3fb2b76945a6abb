"""What of a session goes into the archive, and by which vector.

Structured sources (session log, stream, hooks) come first; the screen is kept only where the
operator agreed, only what no structured source has, and only redacted. Nothing else is ever written
of a screen.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from dejavu.archive import Archive
from dejavu.ingest.merge.merge_turns import merge_turns, normalise
from dejavu.model import (
    Conversation,
    Role,
    Turn,
    conversation_id,
)
from dejavu.redact.conversation import redact_turn

from .session_log_follower import main_of


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """What was kept: by which way, in which conversation, and a sentence if nothing was."""

    kept: str
    conversation: str | None = None
    turns: int = 0
    note: str = ""


SHORT = 10.0
"""Seconds: of a shorter session without a prompt nobody wants to read that nothing was kept."""


class CapturePolicy:
    """Decides for one session; may be asked again and again as the session goes on."""

    def __init__(
        self, base: Conversation, *, screen: bool, redact: Callable[[str], str], agent: str
    ) -> None:
        self._base, self._screen, self._redact, self._agent = base, screen, redact, agent

    def keep(
        self, archive: Archive, natives: list[Conversation], screen: tuple[Turn, ...], now: float
    ) -> CaptureResult:
        """Archive what is to be kept of the session as it stands; idempotent."""
        seen = tuple(redact_turn(turn, self._redact) for turn in screen) if self._screen else ()
        if natives:
            return self._beside(archive, natives, seen)
        if self._screen and any(turn.role is Role.USER for turn in seen):
            whole = msgspec.structs.replace(self._base, captured_at=now).with_turns(seen)
            archive.put(whole)
            return CaptureResult("screen", whole.id, len(seen))
        if not any(turn.role is Role.USER for turn in screen) and self._short(now):
            return CaptureResult("none")
        if self._screen:
            return CaptureResult("none", note="no turn was seen on the screen, so nothing was kept")
        return CaptureResult(
            "none",
            note=f"nothing was kept: {self._agent} left no trace of its own that Déjà Vu can read; "
            "`dejavu-run --screen` keeps what the screen showed, redacted",
        )

    def _short(self, now: float) -> bool:
        """Whether it may well have been `agent --version`, which nobody expects to be kept."""
        return self._base.started_at is not None and now - self._base.started_at < SHORT

    def _beside(
        self, archive: Archive, natives: list[Conversation], seen: tuple[Turn, ...]
    ) -> CaptureResult:
        """The agent's own trace, completed from the screen where it ends too early."""
        main = main_of(natives)
        if seen:
            whole = archive.get(main.id)
            # The screen's side is redacted, so prompts are compared as if both were.
            fused, added = merge_turns(
                whole.turns, seen, key=lambda text: normalise(self._redact(text))
            )
            if added:
                archive.put(whole.with_turns(fused))
                return CaptureResult(f"{_by(main)}+screen", main.id, len(fused))
        return CaptureResult(_by(main), main.id, main.turn_count)


def _by(head: Conversation) -> str:
    """The best vector that holds a conversation."""
    return str(head.vectors[0]) if head.vectors else "native"


def screen_conversation(header: dict[str, Any]) -> Conversation:
    """The conversation a session becomes when only its screen was seen."""
    agent, instance, session = str(header["agent"]), str(header["instance"]), str(header["id"])
    return Conversation(
        id=conversation_id(agent, instance, f"session:{session}"),
        workspace=str(header["workspace"]),
        instance=instance,
        agent=agent,
        native_id=f"session:{session}",
        started_at=float(header["started_at"]),
        source=f"dejavu-run session {session}",
    )
