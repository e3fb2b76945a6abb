"""What others are told of a session: its two small files, the operator's command, sentences.

Writes `status.json` and `session.json` in the session's folder, starts `hooks.on_change`, tells the
hosts (`reporters`). A file that cannot be written is a note, never an error. Cost: one small file a change.

`ConversationFacts` is what the session's conversation says: title, last prompt, last words, model,
tokens. They are read from the archive as turns are stored, each turn once and the last one again,
since it may have grown. Texts are cut and redacted, for they stand in the status file. Cost: O(new
turns).
"""

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dejavu.archive import Archive
from dejavu.config.files import read_json, write_json
from dejavu.model import NotFoundError, Role, ToolCall, ToolCallResponse, Turn, Vector
from dejavu.model.json_values import is_json_object
from dejavu.scrapers import Situation, State, StatusChange
from dejavu.scrapers.pending import kind_of

from .. import session_store as sessions
from ..on_change import OnChange
from ..reporters.reporters import Reporters
from ..serialize import session_to_dict

_NOTES = 20
"""Sentences kept for the user."""

_DETAIL = 200
"""Characters kept of why a state is what it is."""

_LOOK = 0.5
"""Seconds between two looks whether a user has seen work that is done."""


class StatusPublisher:
    """The outside of one session. `status` is what was told last, `notes` are for the user."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.status = sessions.Status(observer=sessions.own_process())
        self.notes: list[str] = []
        self._id = "-"
        self._on_change: OnChange | None = None
        self._reporters: Reporters | None = None
        self._unseen: sessions.SessionView | None = None
        """The session as hosts know it, while it is done and not looked at."""
        self._look_at = 0.0
        self._worked = False
        self._situation = Situation()
        self.redact: Callable[[str], str] = str
        """What the agent's own words go through, whole, before they are cut and written."""

    def open(self, session: str, folder: Path | None) -> None:
        """From the session's header on, there is a place to write to."""
        self._id, self.folder = session, folder

    def call(self, command: str) -> None:
        """Run the operator's command on every change of state."""
        self._on_change = OnChange(command, self.note)

    def report_to(self, reporters: Reporters) -> None:
        """Tell hosts of every change."""
        self._reporters = reporters

    @property
    def due(self) -> float | None:
        """When the operator's command or a host's wants a tick, or a user may have looked."""
        times = [one.due for one in (self._on_change, self._reporters) if one is not None]
        times.append(None if self._unseen is None else self._look_at)
        return min((at for at in times if at is not None), default=None)

    def tick(self, now: float) -> None:
        """Let the operator's command and the hosts' go on."""
        for one in (self._on_change, self._reporters):
            if one is not None:
                one.tick(now)
        if self._unseen is not None and self._reporters is not None and now >= self._look_at:
            self._tell_hosts(self._reporters, sessions.with_liveness(self._unseen), now)

    def _tell_hosts(self, reporters: Reporters, view: sessions.SessionView, now: float) -> None:
        """Tell what is new; what is done is looked at until a user has seen it: a few stats."""
        view = view._replace(live=self.status.state != "exited")
        self._unseen, self._look_at = view if view.state == "done" else None, now + _LOOK
        reporters.changed(view, now)

    def moved(self) -> None:
        """Continue, in this process, what another began, and say so."""
        for one in (self._on_change, self._reporters):
            if one is not None:
                one.moved()
        self.set(observer=sessions.own_process())

    def close(self) -> None:
        """Behind the last word, when no one waits any more: let the operator's command end."""
        for one in (self._reporters, self._on_change):
            if one is not None:
                one.close()

    def note(self, sentence: str) -> None:
        """Remember a sentence for the user, once."""
        if sentence not in self.notes and len(self.notes) < _NOTES:
            self.notes.append(sentence)
            print(time.strftime("%F %T"), self._id, sentence, file=sys.stderr)

    def follow(
        self,
        changes: tuple[StatusChange, ...],
        exit_status: int | None,
        situation: Mapping[str, Any] | None = None,
    ) -> None:
        """Tell what the screen's reader saw; the last change is the state now."""
        last = changes[-1]
        self.set(
            state=str(last.state),
            rule=last.rule,
            detail=self.redact(last.detail)[:_DETAIL],
            since=last.at,
            finished_at=self._finished(changes),
            exit_status=exit_status,
            **(situation or {}),
        )

    def changed_situation(
        self, situation: Situation, agreement: Mapping[tuple[str, State, State], int]
    ) -> dict[str, Any]:
        """Fields of the status for a situation (redacted by the reader), if it is a new one."""
        if situation == self._situation:
            return {}
        self._situation = situation
        return {
            "message": situation.message,
            "pending": tuple(asdict(entry) for entry in situation.pending),
            "blocked": asdict(situation.blocked) if situation.blocked is not None else None,
            **_signals(agreement),
        }

    def _finished(self, changes: tuple[StatusChange, ...]) -> float:
        """When the agent last went from working to idle; a moment of `unknown` between is none."""
        finished = self.status.finished_at
        for change in changes:
            if change.state == "idle" and self._worked:
                finished = change.at
            if change.state != "unknown":
                self._worked = change.state == "working"
        return finished

    def set(self, **changes: Any) -> None:
        """Tell fields of the status that changed."""
        now = time.time()
        turned = changes.get("state", self.status.state) != self.status.state
        if turned and "since" not in changes:
            changes["since"] = now
        self.status = self.status._replace(**changes, updated_at=now, notes=tuple(self.notes))
        if self.folder is None:
            return
        try:
            sessions.set_status(self.folder, self.status)
        except OSError as error:
            self.note(f"status is not shown: {error.strerror}")
        situation = turned or "blocked" in changes or "message" in changes
        if (turned and self._on_change is not None) or (situation and self._reporters is not None):
            view = sessions.load_with(self.folder, self.status)
            if view is None:
                return
            # The wrapper may have gone since; what was published decides.
            view = view._replace(live=self.status.state != "exited")
            if turned and self._on_change is not None:
                self._on_change.changed(session_to_dict(view), now)
            if self._reporters is not None:
                self._tell_hosts(self._reporters, view, now)

    def set_session(self, **changes: Any) -> None:
        """Tell what is known better now than when the session began."""
        if self.folder is None:
            return
        path = self.folder / "session.json"
        try:
            write_json(path, {**read_json(path), **changes})
        except (OSError, json.JSONDecodeError) as error:
            self.note(f"session.json: {error}")


def _signals(agreement: Mapping[tuple[str, State, State], int]) -> dict[str, Any]:
    """By source: how often signals and rules were compared, and how often they differed."""
    if not agreement:
        return {}
    counts: dict[str, dict[str, int]] = {}
    for (source, said, read), count in agreement.items():
        figures = counts.setdefault(source, {"compared": 0, "differed": 0})
        figures["compared"] += count
        figures["differed"] += count if said is not read else 0
    return {"signals": counts}


PROMPT = 500  # characters kept of a prompt ...
WORDS = 2000  # ... and of an answer, its end
_NAME = 200  # characters of what runs behind the conversation
_CALLS = 16  # calls of a kind that are remembered
_BEHIND = ("run_in_background", "is_background", "background", "isBackground")
_NAMED = ("description", "command", "title", "task_name", "prompt", "message")
"""Arguments that say a call runs behind the conversation, and those that name it."""

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
        self._background: dict[str, dict[str, str]] = {}

    def read(self, archive: Archive, conversation: str) -> dict[str, Any]:
        """Return the fields; an empty dict where the conversation is not there."""
        if conversation != self._id:
            self._id, self._next, self._texts, self._model = conversation, 0, {}, None
            self._stored, self._background = [0, 0, 0], {}
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
            "background": {kind: list(names.values()) for kind, names in self._background.items()},
        }

    def _note(self, turn: Turn) -> None:
        self._model = turn.model or self._model
        self._note_calls(turn)
        if turn.vector is Vector.SCREEN:  # what the screen shows is kept in the archive alone
            return
        if turn.role not in (Role.USER, Role.ASSISTANT) or not (text := turn.text.strip()):
            return
        # Redacted before it is cut: half a secret is not known as one.
        if turn.role is Role.USER:
            self._texts["user"] = self._redact(text[:_READ])[:PROMPT]
        else:
            self._texts["assistant"] = self._redact(text[-_READ:])[-WORDS:]

    def _note_calls(self, turn: Turn) -> None:
        """Remember what calls may run behind the conversation, by kind and call; newest last."""
        for part in turn.parts:
            if isinstance(part, ToolCall):
                self._note_call(part)
            elif isinstance(part, ToolCallResponse):
                for calls in self._background.values():
                    calls.pop(part.id or "", None)

    def _note_call(self, call: ToolCall) -> None:
        arguments = call.arguments if is_json_object(call.arguments) else {}
        is_behind = any(arguments.get(name) is True for name in _BEHIND)
        kind = "agent" if call.name.lower() == "task" else kind_of(call.name)
        words = next((said for name in _NAMED if isinstance(said := arguments.get(name), str)), "")
        if not words or not (is_behind or kind in ("agent", "mcp", "workflow")):
            return
        calls = self._background.setdefault(kind, {})
        # Its answer comes at once where it runs on behind the conversation.
        calls["& " * is_behind + (call.id or words)] = self._redact(words.strip()[:_READ])[:_NAME]
        for oldest in list(calls)[:-_CALLS]:
            del calls[oldest]


def _added(totals: list[int], turn: Turn) -> list[int]:
    usage = turn.usage
    if usage is None:
        return totals
    added = (usage.input_tokens or 0, usage.output_tokens or 0, int(1e6 * (usage.cost or 0)))
    return [total + more for total, more in zip(totals, added, strict=True)]
