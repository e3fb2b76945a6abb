"""`dejavu status`: running and recent sessions with what each is doing.

Reads the sessions' small state files; costs O(sessions kept), never touches the archive. Sessions
that need a person come first: blocked, error, done, working, idle. Naming a session counts as
having seen it, so `done` is told once; the list and `--watch` (which prints a session anew
whenever its state changes) do not.
"""

import time
from typing import Annotated

import typer

from dejavu.sessions.priority import by_attention, roll_up
from dejavu.sessions.serialize import plain
from dejavu.sessions.session_store import Seen, find, find_all, mark
from dejavu.sessions.watch import POLL, Watch

from .options import Json, JsonLines
from .output import line, note, paint, print_json, print_jsonl

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
    return by_attention(live) + (over if everything else over[:_RECENT])


def command(
    session: Annotated[
        str | None, typer.Argument(help="A session's id, its beginning, or its name.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on printing changes.")] = False,
    summary: Annotated[
        bool, typer.Option("--summary", help="The most urgent state of all, and how many are in.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="Also sessions long over.")] = False,
    json: Json = False,
    jsonl: JsonLines = False,
) -> None:
    """Show what running agents are doing."""
    chosen = _selected(session, everything)
    if watch:
        _watch(session, as_json=json or jsonl)
    elif summary:
        _summarise(chosen, as_json=json or jsonl)
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
    if session is not None and not watch:
        mark(chosen[0].folder, "seen")


def _summarise(chosen: list[Seen], *, as_json: bool) -> None:
    rolled = roll_up(chosen)
    if as_json:
        print_json(rolled)
    else:
        counts = ", ".join(f"{count} {state}" for state, count in rolled["counts"].items())
        print(f"{rolled['worst']}: {counts}" if counts else "no session runs")


def _watch(session: str | None, *, as_json: bool) -> None:
    """Print every session once, then each again when it changes, until interrupted.

    A named session's watch ends when the session does.
    """
    watch = Watch(None if session is None else [find(session).folder])
    shown: dict[str, str] = {}
    while True:
        for seen in watch.poll():
            # Of sessions that were over before we came only the one that was named is told.
            known = seen.live or session is not None or seen.session.id in shown
            if known and shown.get(seen.session.id) != seen.state:
                shown[seen.session.id] = seen.state
                if as_json:
                    print_jsonl([plain(seen)])
                else:
                    _print(seen)
        if session is not None and not any(seen.live for seen in watch.sessions):
            return
        time.sleep(POLL)
