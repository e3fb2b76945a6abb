"""`dejavu status`: running and recent sessions with what each is doing.

Reads the sessions' small state files; costs O(sessions kept), never touches the archive.
`--watch` prints a session anew whenever its state changes.
"""

import time
from typing import Annotated, Any

import typer

from dejavu.record import to_iso

from ..sessions import Seen, find, find_all
from .options import Json, JsonLines
from .output import line, note, paint, print_json, print_jsonl

_COLOUR = {
    "blocked": "1;31",
    "error": "31",
    "working": "33",
    "idle": "32",
    "exited": "2",
    "unknown": "2",
}
_RANK = {"blocked": 0, "error": 1, "done": 2, "working": 3, "idle": 4, "unknown": 5, "exited": 6}
_POLL = 0.1
_RECENT = 5


def plain(seen: Seen) -> dict[str, Any]:
    """One session in the contract's shape."""
    return {
        "session": seen.session.id,
        "name": seen.session.name,
        "agent": seen.session.agent,
        "state": seen.state,
        "rule": seen.status.rule if seen.live else None,
        "detail": seen.status.detail,
        "since": to_iso(seen.status.since or seen.session.started_at),
        "updated_at": to_iso(seen.status.updated_at or seen.session.started_at),
        "started_at": to_iso(seen.session.started_at),
        "live": seen.live,
        "pid": seen.session.agent_pid,
        "workspace": seen.session.workspace,
        "instance": seen.session.instance,
        "exit_status": seen.status.exit_status,
        "conversation": seen.status.conversation,
        "kept": seen.status.kept,
        "notes": seen.status.notes,
    }


def _ago(seconds: float) -> str:
    if seconds < 120:
        return f"{int(seconds)}s"
    return f"{int(seconds / 60)}m" if seconds < 7200 else f"{int(seconds / 3600)}h"


def _print(seen: Seen) -> None:
    state = paint(f"{seen.state:8}", _COLOUR.get(seen.state, "0"))
    told = _ago(time.time() - (seen.status.since or seen.session.started_at))
    agent, place = line(seen.session.agent, 10), line(seen.session.workspace, 60)
    print(f"{state} {told:>5}  {agent:10} {paint(seen.session.id, '2')}  {place}", flush=True)


def _selected(session: str | None, everything: bool) -> list[Seen]:
    if session is not None:
        return [find(session)]
    every = find_all()
    live = [seen for seen in every if seen.live]
    over = [seen for seen in every if not seen.live]
    return sorted(live, key=lambda seen: _RANK.get(seen.state, 5)) + (
        over if everything else over[:_RECENT]
    )


def command(
    session: Annotated[
        str | None, typer.Argument(help="A session's id, its beginning, or its name.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on printing changes.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Also sessions long over.")] = False,
    json: Json = False,
    jsonl: JsonLines = False,
) -> None:
    """Show what running agents are doing."""
    chosen = _selected(session, everything)
    if watch:
        _watch(session, as_json=json or jsonl)
    elif jsonl:
        print_jsonl(plain(seen) for seen in chosen)
    elif json:
        found = [plain(seen) for seen in chosen]
        print_json(found[0] if session is not None else found)
    else:
        for seen in chosen:
            _print(seen)
        if not chosen:
            note("no session ran yet; `dejavu-run AGENT` starts one")


def _watch(session: str | None, *, as_json: bool) -> None:
    """Print every session once, then each again when it changes, until interrupted.

    A named session's watch ends when the session does.
    """
    shown: dict[str, tuple[str, float]] = {}
    while True:
        chosen = (
            [find(session)]
            if session is not None
            else [s for s in find_all() if s.live or s.session.id in shown]
        )
        for seen in chosen:
            mark = (seen.state, seen.status.since)
            if shown.get(seen.session.id) != mark:
                shown[seen.session.id] = mark
                if as_json:
                    print_jsonl([plain(seen)])
                else:
                    _print(seen)
        if session is not None and not chosen[0].live:
            return
        time.sleep(_POLL)
