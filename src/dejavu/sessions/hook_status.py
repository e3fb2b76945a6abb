"""What hooks and servers say of a wrapped session: `structured.json` in the session's folder.

Writes `{"state", "source", "event", "at", "conversation"}`, replaced atomically, 0600. The observer
believes it over the screen for `scrapers.status.SIGNAL_TTL` seconds. `at` is Unix seconds.
"""

from dejavu.config.files import read_json, write_json

from .session_store import sessions_folder

NAME = "structured.json"


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
            "conversation": conversation,
        },
    )
