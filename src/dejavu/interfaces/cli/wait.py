"""`dejavu wait SESSION ... --for idle,blocked`: sleep until sessions get there.

Several sessions are waited for together: all of them in one of the states at the same time, or
with --any the first of them. `idle` is also satisfied by `done`. What was true before the last
`dejavu send` is no answer to it: for a while only a change counts (`UPTAKE`), so that `send` and
`wait` one after the other need no pause between. With --settled a session counts only while nothing
runs behind it: no shell, no sub-agent, no queued input. Some agents report a dialog before they draw
it: `blocked` is reached once how to answer is read, or after a while without, which is said.
Without --timeout, a session whose state no rules can tell counts as one that ended.

Exit codes: 0 reached, 1 a session ended in another state or no rules can tell its state (with
--any: all of them), 3 no such session, 124 timed out (as `timeout` of coreutils).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dejavu.config.clock import now
from dejavu.model import InvalidValueError, NotFoundError
from dejavu.sessions.priority import ATTENTION
from dejavu.sessions.serialize import UNOBSERVED, session_to_dict
from dejavu.sessions.session_store import SessionView, find
from dejavu.sessions.watch import POLL, Watch

from ..command_line.output import print_json, print_list, print_note
from ..command_line.parameters import Argument, Option
from ..command_line.stdio import ExitError

UPTAKE = {"blocked": 2.0}
"""Seconds an agent may take to show that it received a text; a dialog may follow another."""

_UPTAKE = 10.0

_DRAWN = 2.0
"""Seconds an agent may take to draw the dialog that it waits in."""

_UNREAD = 2.0
"""Seconds for which a session may be unknown without a word of why."""

if TYPE_CHECKING:
    from ..command_line.parameters import Json


def command(
    sessions: Annotated[
        list[str],
        Argument(
            metavar="SESSION",
            help="Ids, unique prefixes or names.",
            complete="sessions",
        ),
    ],
    states: Annotated[
        str, Option("--for", metavar="STATES", help="States to wait for, comma-separated.")
    ] = "idle",
    first: Annotated[
        bool, Option("--any", help="Return when one session gets there, not all.")
    ] = False,
    settled: Annotated[
        bool,
        Option("--settled", help="Count a session only while nothing runs in its background."),
    ] = False,
    timeout: Annotated[
        float | None, Option("--timeout", min=0, help="Give up after this many seconds.")
    ] = None,
    appear: Annotated[
        float, Option("--appear", min=0, help="Seconds to wait for a session to start.")
    ] = 0.0,
    json: Json = False,
) -> None:
    """Wait until sessions reach a state."""
    wanted = _states_of(states)
    end = None if timeout is None else time.monotonic() + timeout
    folders = [_appeared(name, time.monotonic() + appear) for name in sessions]
    watch, views_by_folder = Watch(folders), dict[Path, SessionView]()
    tell_unread_at = time.monotonic() + _UNREAD
    untold: list[Path] = []
    while True:
        changed = watch.poll()
        views_by_folder.update((updated.folder, updated) for updated in [*changed, *watch.sessions])
        views = [views_by_folder[folder] for folder in folders if folder in views_by_folder]
        there = [
            view
            for view in views
            if reached(view, wanted, now()) and not (settled and has_pending(view))
        ]
        ended = [view for view in views if not view.live and view not in there]
        ended += [v for v in views if v.live and not v.observed and "unknown" not in wanted]
        if time.monotonic() >= tell_unread_at:
            tell_unread_at = float("inf")
            untold = _tell_unread(views, wanted)
        if end is None and "exited" not in wanted:
            ended += [
                v for v in views if v.folder in untold and v.state == "unknown" and v not in ended
            ]
        succeeded = bool(there) if first else len(there) == len(folders)
        failed = len(ended) == len(folders) if first else bool(ended)
        if succeeded or failed or (end is not None and time.monotonic() >= end):
            break
        time.sleep(POLL)
    _print_result(views, there, as_json=json)
    if succeeded:
        for view in there:
            if view.live and _is_unread(view):
                print_note(f"dejavu: {session_label(view)}: how to answer its dialog was not read")
        return
    for view in ended if failed else views:
        if view not in there:
            print_note(f"dejavu: {session_label(view)} {_outcome(view, timeout)}")
    raise ExitError(1 if failed else 124)


def _states_of(text: str) -> set[str]:
    """The states in a list with commas.

    Raises:
        InvalidValueError: there is none, or one that no session can be in.
    """
    wanted = {state.strip() for state in text.split(",") if state.strip()}
    if not wanted or wanted - set(ATTENTION):
        unknown = ", ".join(sorted(wanted - set(ATTENTION))) or text
        raise InvalidValueError(f"--for: {unknown!r} is not one of {', '.join(sorted(ATTENTION))}")
    return wanted


def _outcome(view: SessionView, timeout: float | None) -> str:
    """Why a session is not in the state that was waited for."""
    if not view.live:
        return view.end
    if not view.observed:
        return f"is unknown: {UNOBSERVED}"
    if timeout is None:
        return "is unknown, and may stay so; --timeout SECONDS waits for what it reports itself"
    return f"is still {_standing(view)} after {timeout:g} s"


def _tell_unread(views: list[SessionView], wanted: set[str]) -> list[Path]:
    """Say of which sessions hardly any state can be told, for no rules know their screens.

    Return their folders.
    """
    unread = [view for view in views if view.live and view.state == "unknown"]
    if not unread or wanted & {"unknown"}:
        return []
    from dejavu.sessions.user_packs import operator_packs  # only here: it costs a tenth of a second

    packs = operator_packs()
    unread = [view for view in unread if view.session.agent not in packs]
    for view in unread:
        print_note(
            f"dejavu: {session_label(view)}: no rules know the screens of "
            f"{view.session.agent!r}; only what it reports itself and its end are certain"
        )
    return [view.folder for view in unread]


def session_label(view: SessionView) -> str:
    """A session's name with its id, or the id alone where it has no name."""
    name, identity = view.session.name, view.session.id
    return identity if name in ("", identity) else f"{name} ({identity})"


def reached(view: SessionView, wanted: set[str], now: float) -> bool:
    """Whether a session is in a state of `wanted` that came after what was last sent to it."""
    state = view.state
    if state not in wanted and not (state == "done" and "idle" in wanted):
        return False
    if view.live and _is_unread(view) and now < view.status.since + _DRAWN:
        return False
    stale = view.live and state != "working" and view.status.since < view.sent_at
    return not stale or now >= view.sent_at + UPTAKE.get(state, _UPTAKE)


def _is_unread(view: SessionView) -> bool:
    """Whether a session waits in a dialog and it is not known how to answer that."""
    asked = view.status.blocked or {}
    return view.state == "blocked" and not (asked.get("choices") or asked.get("takes_text"))


def _standing(view: SessionView) -> str:
    """A session's state, with what runs behind it."""
    pending = ", ".join(f"{entry['count']} {entry['kind']}" for entry in view.status.pending)
    return f"{view.state} ({pending} pending)" if pending else view.state


def has_pending(view: SessionView) -> bool:
    """Whether a running session's shells, agents or queued inputs are not done yet."""
    return view.live and bool(view.status.pending)


def _appeared(name: str, until: float) -> Path:
    """The folder of a session that is there, or is started before `until` (monotonic)."""
    while True:
        try:
            return find(name).folder
        except NotFoundError:
            if time.monotonic() >= until:
                raise
        time.sleep(POLL)


def _print_result(views: list[SessionView], there: list[SessionView], *, as_json: bool) -> None:
    """One document for one session, a list for several; else a line for each that got there."""
    if as_json:
        rows = [{**session_to_dict(view), "reached": view in there} for view in views]
        if len(rows) == 1:
            print_json(rows[0])
        else:
            print_list("sessions", rows)
    else:
        for view in there:
            print(view.session.name, view.state)
