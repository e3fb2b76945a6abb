"""`dejavu status`: running and recent sessions with what each is doing.

Reads the sessions' small state files; costs O(sessions kept), never touches the archive. What waits
in the spool for an archive that is away is said in a last line. Sessions
that need a person come first: blocked, error, done, working, idle. Naming a session counts as
having seen it, so `done` shows once; the list and `--watch` (which prints a session again
whenever its state changes) do not.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

from dejavu.config.clock import now
from dejavu.config.paths import state_home
from dejavu.model.plural import counted
from dejavu.sessions.priority import by_attention, roll_up
from dejavu.sessions.serialize import UNOBSERVED, session_to_dict
from dejavu.sessions.session_store import SessionView, find, find_all, touch
from dejavu.sessions.watch import POLL, Watch

from ..command_line.output import (
    chosen,
    formatted,
    one_line,
    print_json,
    print_jsonl,
    print_list,
    print_note,
    style,
)
from ..command_line.parameters import Argument, Option
from ..command_line.terminal import print_lines

_COLOUR = {
    "blocked": "1;31",
    "error": "31",
    "done": "1;32",
    "working": "33",
    "idle": "32",
    "exited": "2",
    "unknown": "2",
}
_RECENT = 5

if TYPE_CHECKING:
    from ..command_line.parameters import JsonFields, JsonLines, Template


def _ago(seconds: float) -> str:
    if seconds < 120:
        return f"{int(seconds)}s"
    return f"{int(seconds / 60)}m" if seconds < 7200 else f"{int(seconds / 3600)}h"


def state_text(state: str) -> str:
    """A state in its colour, padded."""
    return style(f"{state:8}", _COLOUR.get(state, "0"))


def print_session(view: SessionView) -> None:
    """Print one session's line."""
    state = state_text(view.state)
    since = _ago(now() - (view.status.since or view.session.started_at))
    agent, workspace = one_line(view.session.agent, 10), one_line(view.session.workspace, 60)
    named = view.session.name not in ("", view.session.id)
    name = f"{style(one_line(view.session.name, 24), '1')}  " if named else ""
    identity = style(view.session.id, "2")
    print(
        f"{state} {since:>5}  {agent:10} {identity}  {name}{workspace}{_detail(view)}", flush=True
    )


def _detail(view: SessionView) -> str:
    """What is asked, or what runs behind the session, for the end of its line."""
    details: list[str] = []
    if view.state == "blocked" and view.status.blocked:
        details.append(str(view.status.blocked.get("question") or view.status.blocked.get("kind")))
    if view.live and not view.observed:
        details.append(UNOBSERVED)
    elif view.live:
        details += [f"{entry['count']} {entry['kind']}" for entry in view.status.pending]
    return f"  {style(one_line(' · '.join(details), 80), '2')}" if details else ""


def _selected(session: str | None, everything: bool) -> list[SessionView]:
    if session is not None:
        return [find(session)]
    views = find_all()
    live = [view for view in views if view.live]
    ended = [view for view in views if not view.live]
    if not everything and len(ended) > _RECENT:
        print_note(f"{counted(len(ended) - _RECENT, 'older session')} left out; --all shows all")
        ended = ended[:_RECENT]
    return by_attention(live) + ended


def command(
    session: Annotated[
        str | None,
        Argument(help="An id, unique prefix or name.", complete="sessions"),
    ] = None,
    watch: Annotated[bool, Option("--watch", help="Keep printing changes.")] = False,
    summary: Annotated[
        bool, Option("--summary", help="Show the most urgent state and a count of each.")
    ] = False,
    everything: Annotated[bool, Option("--all", help="Also all ended sessions.")] = False,
    format: Template = None,  # noqa: A002 - the option's name
    json: JsonFields = False,
    jsonl: JsonLines = False,
) -> None:
    """Show what running agents are doing."""
    if watch:
        _watch(session, as_json=json or jsonl)
        return
    views = _selected(session, everything)
    if summary:
        _summarise(views, as_json=json or jsonl)
    elif jsonl:
        print_jsonl(session_to_dict(view) for view in views)
    elif json:
        rows = chosen([session_to_dict(view) for view in views])
        if session is not None:
            print_json(rows[0])
        else:
            print_list("sessions", rows)
    elif format is not None:
        print_lines(formatted([session_to_dict(view) for view in views], format), paged=False)
    else:
        for view in views:
            print_session(view)
        if not views:
            print_note("no session yet; `dejavu-run AGENT` starts one")
        if session is None:
            _print_spool()
    if session is not None:
        touch(views[0].folder, "seen")


def _print_spool() -> None:
    """Say what waits for an archive that is away."""
    if not any((state_home() / "gateway").glob("*.jsonl")):
        return
    from dejavu.ingest.spool import spool_state  # loads what reads and writes archives

    state = spool_state()
    age = _ago(max(0.0, now() - (state.oldest or now())))
    why = f": {one_line(state.refusal, 200)}" if state.refusal else ""
    failed = f"; {len(state.failed)} refused, see `dejavu doctor`" if state.failed else ""
    print_note(f"{state.waiting} in the spool, the oldest for {age}{failed}{why}")


def _summarise(chosen: list[SessionView], *, as_json: bool) -> None:
    summary = roll_up(chosen)
    if as_json:
        print_json(summary)
    else:
        counts = ", ".join(f"{count} {state}" for state, count in summary["counts"].items())
        print(f"{summary['worst']}: {counts}" if counts else "no session is running")


def _watch(session: str | None, *, as_json: bool) -> None:
    """Print every session once, then each again when it changes, until interrupted.

    A named session's watch ends when the session does.
    """
    watch = Watch(None if session is None else [find(session).folder])
    shown: dict[str, str] = {}
    while True:
        for view in watch.poll():
            # Of sessions that had ended before, only one that was named is shown.
            wanted = view.live or session is not None or view.session.id in shown
            if wanted and shown.get(view.session.id) != view.state:
                shown[view.session.id] = view.state
                if as_json:
                    print_jsonl([session_to_dict(view)])
                else:
                    print_session(view)
        if session is not None and not any(view.live for view in watch.sessions):
            return
        time.sleep(POLL)
