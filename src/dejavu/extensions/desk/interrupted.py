"""Which sessions ended although neither their user nor their agent ended them.

Known from the sessions' own records: no end was recorded (the power went, or the wrapper was
killed), or the agent died of a signal that a closing terminal, multiplexer or machine sends. What
`dejavu stop` ended is not on the list, nor what was restored since. `save` adds what runs now, to
be found after an orderly end too. Costs a read of two small files a session, of at most 200.

Tested in: tests/extensions/desk/test_desk.py
"""

import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from dejavu.config.files import read_json, write_json
from dejavu.config.paths import private_folder, state_home
from dejavu.sessions import session_store
from dejavu.sessions.session_store import SessionHeader, SessionView, Status

Reason = Literal["crash", "hangup", "saved"]

_SIGNALS = (1, 9, 15)  # SIGHUP, SIGKILL and SIGTERM, as an exit status 128 + n
_DAY = 86400.0
_TAP = "dejavu.interfaces.prove_tap"  # a session of `dejavu-run --prove`


class Interrupted(NamedTuple):
    """A session that can be restored, and why it is one: `crash` where no end was recorded."""

    view: SessionView
    reason: Reason

    @property
    def ended_at(self) -> float:
        """Unix seconds of the last thing known of it."""
        return self.view.status.updated_at or self.view.session.started_at


def interrupted(*, days: float, now: float) -> list[Interrupted]:
    """The sessions to restore, the newest first: last seen in the last `days` days.

    Of several sessions of one conversation only the newest counts, and none where one of them runs.
    """
    views = session_store.find_all()
    saved = {view.session.id: view for view in saved_views()}
    known = {view.session.id for view in views}
    views += [view for identity, view in saved.items() if identity not in known]
    views.sort(key=lambda view: view.session.started_at, reverse=True)
    taken = {view.status.conversation for view in views if view.live}
    found: list[Interrupted] = []
    for view in views:
        reason = _reason(view, saved)
        entry = Interrupted(view, reason) if reason else None
        if entry is None or entry.ended_at < now - days * _DAY:
            continue
        conversation = view.status.conversation
        if conversation is None or conversation not in taken:
            found.append(entry)
            taken.add(conversation)
    return found


def _reason(view: SessionView, saved: Iterable[str]) -> Reason | None:
    """Why the session is to be restored; None where it is not."""
    if view.live or view.session.source or (view.folder / "restored").exists():
        return None
    if (view.folder / "stopped").exists() or _TAP in view.session.argv:
        return None
    if view.session.id in saved:
        return "saved"
    status = view.status
    if status.state != "exited" and status.exit_status is None:
        return "crash"
    return "hangup" if (status.exit_status or 0) - 128 in _SIGNALS else None


def mark_restored(view: SessionView) -> None:
    """Take a session off the list."""
    session_store.touch(view.folder, "restored")
    kept = [one for one in saved_views() if one.session.id != view.session.id]
    if kept:
        _write(kept, time.time())
    else:
        _file().unlink(missing_ok=True)


def save(now: float) -> list[SessionView]:
    """Note what runs now, in place of what was noted before; return it."""
    views = [view for view in session_store.find_all() if view.live and not view.session.source]
    _write(views, now)
    return views


def saved_views() -> list[SessionView]:
    """The sessions that were noted, as they were then."""
    views: list[SessionView] = []
    for entry in _noted():
        try:
            view = SessionView(
                Path(entry["folder"]),
                SessionHeader(**{k: entry["session"][k] for k in SessionHeader._fields}),
                Status(**{k: entry["status"][k] for k in Status._fields}),
                live=False,
            )
        except (KeyError, TypeError):
            continue  # of another version; the session's own record may still be there
        views.append(session_store.with_liveness(view))
    return views


def fault() -> str:
    """Why what was noted is not all known; empty where it is."""
    path = _file()
    whole = isinstance(read_json(path).get("sessions"), list)
    if not path.exists() or (whole and len(saved_views()) == len(_noted())):
        return ""
    return f"{path} is damaged: sessions that `dejavu desk save` noted are missing"


def erase(conversations: Collection[str]) -> int:
    """Take the sessions that were noted in these conversations out; return how many."""
    kept = [view for view in saved_views() if view.status.conversation not in conversations]
    gone = len(saved_views()) - len(kept)
    if gone:
        _write(kept, time.time())
    return gone


def _noted() -> list[Any]:
    """The entries as they were written; empty where the file is missing or damaged."""
    noted = read_json(_file()).get("sessions")
    return list(noted) if isinstance(noted, list) else []  # pyright: ignore[reportUnknownArgumentType] - JSON


def _write(views: Iterable[SessionView], now: float) -> None:
    sessions = [
        {
            "folder": str(view.folder),
            "session": view.session._asdict(),
            "status": view.status._asdict(),
        }
        for view in views
    ]
    private_folder(state_home())
    write_json(_file(), {"saved_at": now, "sessions": sessions})


def _file() -> Path:
    return state_home() / "desk.json"
