"""An agent's own server followed: its events as turns of vector `stream`, and as its status.

Commits what the events of a server on this machine tell, each session as a separate source,
next to the session's other vectors. What they say of its state is evidence with an end, for the
wrapped session they belong to. What was said before is not told again: the agent's own trace has
that. Holds one event and what the recorder gathers.
"""

import contextlib
import os
import signal
import threading
from typing import Any

import msgspec

from dejavu.archive.access import open_archive
from dejavu.config.clock import now
from dejavu.ingest.channel import Channel, pushed_source
from dejavu.ingest.recorder import Recorder, Summary
from dejavu.ingest.spool import recover, spool_folder
from dejavu.model import Vector, conversation_id, is_json_object
from dejavu.providers import HOOKS
from dejavu.providers.formats.hooks import encode_entry
from dejavu.providers.registry import event_servers

from .hook_status import publish
from .sse_client import SseClient, basic_auth, parse_address


def server_channel(agent: str, instance: str, workspace: str | None, native_id: str) -> Channel:
    """The source that a session is in the events of its agent's server."""
    name = f"serve:{native_id}"
    source = pushed_source(agent, name, instance, native_id=native_id, workspace=workspace)
    return Channel(Vector.STREAM, source)


class FollowerState:
    """What a server with many sessions is at: blocked or working while one of them is."""

    def __init__(self) -> None:
        self._busy: dict[str, str] = {}

    def after(self, session: str, state: str) -> str:
        """The state of all, now that `session` is in `state`."""
        self._busy.pop(session, None)
        if state in ("blocked", "working"):
            self._busy[session] = state
        states = {*self._busy.values()}
        return next((shown for shown in ("blocked", "working") if shown in states), state)


class Follower:
    """Records the events of one server."""

    def __init__(
        self, agent: str, *, instance: str, workspace: str | None = None, session: str = ""
    ) -> None:
        self._agent, self._instance, self._workspace = agent, instance, workspace
        self._session = session
        self._hook = HOOKS[agent]
        self._recorder = Recorder(lambda: open_archive(write=True), spool_folder())
        self.standing = FollowerState()

    def take(self, data: str) -> None:
        """Record an event and pass on what it says of the state; others are passed over."""
        event = _event(data)
        native_id = self._hook.session_of(event)
        if native_id is None:
            return
        at, kind = now(), str(event.get("type"))
        if kind in self._hook.events:
            channel = server_channel(self._agent, self._instance, self._workspace, native_id)
            whole = encode_entry(event, at)
            self._recorder.put(channel, lambda: whole, len(whole))
        state = self._hook.status_of(event)
        if state is not None and self._session:
            with contextlib.suppress(OSError):
                publish(
                    self._session, self.standing.after(native_id, state),
                    event=kind, at=at, source="stream",
                    conversation=conversation_id(self._agent, self._instance, native_id),
                )  # fmt: skip

    def close(self) -> Summary:
        """Write all that waits, and hear the other vectors."""
        return self._recorder.close()


def follow(
    agent: str, url: str, *, instance: str, workspace: str | None = None, session: str = ""
) -> Summary:
    """Record until the server is gone, or SIGINT or SIGTERM; `session` is the wrapped one's id.

    Raises:
        ConfigError: the URL is not of this machine.
        CaptureError: no such server answers.
    """
    server, address = event_servers()[agent], parse_address(url)
    word = os.environ.get(server.password)
    headers = basic_auth(os.environ.get(server.user) or agent, word) if word else {}
    client = SseClient(address, server.paths, headers)
    follower = Follower(agent, instance=instance, workspace=workspace, session=session)
    threading.Thread(target=recover, args=(open_archive,), daemon=True).start()
    lines = 0
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for data in client:
            if client.lines != lines:  # what ended meanwhile was not told
                follower.standing, lines = FollowerState(), client.lines
            follower.take(data)
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
        summary = follower.close()
    if client.missed:
        summary.notes.append(f"{client.missed} events were too long and were not kept")
    return summary


def _event(data: str) -> dict[str, Any]:
    """The event, out of its envelope where it has one; empty if it is none."""
    try:
        value: object = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError):
        return {}
    inside = value.get("payload") if is_json_object(value) else None
    chosen = inside if is_json_object(inside) else value
    return chosen if is_json_object(chosen) else {}
