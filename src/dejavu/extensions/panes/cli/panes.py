"""`dejavu panes`: agents that run in panes of tmux, zellij, WezTerm, kitty or GNU screen.

Agents that run unwrapped. The list is one look at each; with --watch each becomes a session that
`status`, `wait`, `send` and the pages show, for as long as this command runs. A second --watch
shows what the first sees. With --line there is one line for a status line, again whenever it
changes. Panes are read only: except by `dejavu send`, nothing is ever written to one, or resized.

Tested in: tests/extensions/panes/test_watcher.py
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dejavu.interfaces.cli.status import print_session, state_text
from dejavu.interfaces.command_line.output import one_line, print_jsonl, print_list, print_note
from dejavu.interfaces.command_line.parameters import Option
from dejavu.model import InvalidValueError
from dejavu.sessions.observer_address import observer_log
from dejavu.sessions.priority import ATTENTION, by_attention, roll_up
from dejavu.sessions.serialize import session_to_dict
from dejavu.sessions.session_store import SessionView
from dejavu.sessions.watch import POLL, Watch

from ..listing import list_agents
from ..lock import WatcherLock
from ..registry import multiplexers
from ..watcher import Watcher

if TYPE_CHECKING:
    from types import FrameType

    from dejavu.interfaces.command_line.parameters import Json, JsonLines

    from ..multiplexer import Multiplexer


def command(
    watch: Annotated[
        bool, Option("--watch", help="Follow them as sessions; keep printing changes.")
    ] = False,
    line: Annotated[bool, Option("--line", help="Print one line: a count of each state.")] = False,
    only: Annotated[
        list[str] | None,
        Option("--only", metavar="NAME", help="Only this multiplexer; may be repeated."),
    ] = None,
    socket: Annotated[
        list[str] | None,
        Option("--socket", metavar="PATH", help="Also this tmux server's socket."),
    ] = None,
    attach: Annotated[
        bool | None,
        Option(
            "--attach/--no-attach",
            help="Attach to tmux sessions as a silent client, or only look. [default: attach from tmux 3.7]",
        ),
    ] = None,
    json: Json = False,
    jsonl: JsonLines = False,
) -> None:
    """List and watch agents in panes of multiplexers."""
    for path in socket or ():
        if not Path(path).is_socket():
            raise InvalidValueError(f"--socket: {path!r} is not the socket of a running server")
    chosen = multiplexers(tuple(only or ()), tuple(socket or ()), attach=attach)
    if not chosen:
        print_note("no multiplexer is installed that could be asked")
    if watch:
        printer = _Printer(line=line, as_json=json or jsonl)
        _watch(chosen, printer)
        return
    rows, problems = list_agents(chosen)
    for problem in problems:
        print_note(f"dejavu: {problem}")
    if line:
        _print_line(Counter(row["state"] for row in rows), as_json=json or jsonl)
    elif jsonl:
        print_jsonl(rows)
    elif json:
        print_list("panes", rows)
    else:
        for row in sorted(rows, key=lambda row: ATTENTION.index(row["state"])):
            _print_row(row)
        if not rows:
            print_note("no agent runs in a pane")


def _watch(chosen: list[Multiplexer], printer: _Printer) -> None:
    """Watch; where another watcher does already, show what they see, until they end."""
    lock = WatcherLock()
    if not lock.acquire():
        print_note("another `dejavu panes --watch` runs: this one shows what it sees")
        while not lock.acquire():
            printer.turn()
            time.sleep(POLL)
        print_note("the other one ended: this one watches")
    stderr = sys.stderr

    def note(sentence: str) -> None:
        print(f"dejavu: {one_line(sentence)}", file=stderr, flush=True)

    watcher = Watcher(chosen, on_turn=printer.turn, note=note)

    def handle(number: int, frame: FrameType | None) -> None:
        del frame
        (watcher.suspend if number == signal.SIGTSTP else watcher.stop)()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP):
        signal.signal(number, handle)
    descriptor = os.open(
        observer_log(), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600
    )
    with os.fdopen(descriptor, "a", buffering=1) as log, contextlib.redirect_stderr(log):
        watcher.run()


class _Printer:
    """Prints the sessions in panes when they change."""

    def __init__(self, *, line: bool, as_json: bool) -> None:
        self._line, self._json = line, as_json
        self._watch = Watch()
        self._shown: dict[str, str] = {}
        self._last: dict[str, int] | None = None

    def turn(self) -> None:
        """Print what has changed since the last call."""
        changed = [view for view in self._watch.poll() if view.session.source]
        if self._line:
            if changed or self._last is None:
                self._print_line()
            return
        for view in by_attention(changed):
            wanted = view.live or view.session.id in self._shown
            if wanted and self._shown.get(view.session.id) != view.state:
                self._shown[view.session.id] = view.state
                self._print(view)

    def _print(self, view: SessionView) -> None:
        if self._json:
            print_jsonl([session_to_dict(view)])
        else:
            print_session(view)

    def _print_line(self) -> None:
        counts = roll_up(view for view in self._watch.sessions if view.session.source)["counts"]
        if counts != self._last:
            self._last = counts
            _print_line(counts, as_json=self._json)


def _print_line(counts: dict[str, int], *, as_json: bool) -> None:
    ordered = {state: counts[state] for state in ATTENTION if counts.get(state)}
    if as_json:
        print_jsonl([{"counts": ordered}])
    else:
        print(" · ".join(f"{count} {state}" for state, count in ordered.items()) or "no agents")
        sys.stdout.flush()


def _print_row(row: dict[str, Any]) -> None:
    where = one_line(row["workspace"], 60)
    watched = "" if row["watched"] else "  (one look)"
    print(f"{state_text(row['state'])} {row['agent']:10} {row['source']:16} {where}{watched}")
