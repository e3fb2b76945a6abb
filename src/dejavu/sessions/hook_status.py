"""What hooks and servers say of a wrapped session: `structured.json` in the session's folder.

Writes `{"state", "source", "event", "at", "expires_at", "conversation"}`, replaced atomically,
0600. Code that tells a session's state takes it for the freshest evidence while `expires_at` has not
passed and nothing newer is known: an agent that is killed says nothing any more, so every word of
it grows old. Moments are Unix seconds.
"""

from dejavu.config.files import read_json, write_json

from .session_store import sessions_folder

NAME = "structured.json"
LIFETIME = {"working": 120.0, "blocked": 900.0, "idle": 900.0, "error": 900.0}
"""Seconds that a state is believed without another word. Work is reported by every call of a tool."""


def publish(
    session: str,
    state: str,
    *,
    event: str,
    at: float,
    conversation: str | None,
    source: str = "hook",
) -> None:
    """Say that `session` (an id of ours) was in `state` at `at`; older words are passed over."""
    folder = sessions_folder() / session
    if "/" in session or session.startswith(".") or not (folder / "session.json").is_file():
        return
    previous = read_json(folder / NAME)
    if isinstance(previous.get("at"), int | float) and previous["at"] > at:
        return
    write_json(
        folder / NAME,
        {
            "state": state,
            "source": source,
            "event": event,
            "at": at,
            "expires_at": at + LIFETIME[state],
            "conversation": conversation,
        },
    )
