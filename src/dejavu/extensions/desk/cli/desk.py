"""`dejavu desk`: list the agents that a crash or reboot ended, restart them, or note what runs.

Tested in: tests/extensions/desk/test_desk.py
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

from dejavu.archive.access import open_archive
from dejavu.interfaces.command_line.output import (
    confirm,
    one_line,
    print_json,
    print_note,
    print_rows,
)
from dejavu.interfaces.command_line.parameters import Argument, Option
from dejavu.interfaces.command_line.stdio import ExitError
from dejavu.interfaces.command_line.terminal import age
from dejavu.model import DejavuError, InvalidValueError, NotFoundError, to_iso

from ..interrupted import Interrupted, fault, interrupted, save
from ..restart import Restart, plan, start, type_draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dejavu.interfaces.command_line.parameters import Json
    from dejavu.sessions.session_store import Status

_ACTIONS = ("list", "save", "restore")
_SHOWN = 100  # characters of a prompt, a draft or a question
_WORDS = {
    "crash": "ended without a word",
    "hangup": "its terminal was closed",
    "saved": "noted by `desk save`",
}


def command(
    action: Annotated[
        str,
        Argument(metavar="ACTION", help="list, restore or save; default: list."),
    ] = "list",
    sessions: Annotated[
        list[str] | None,
        Argument(metavar="SESSION", help="Restore only these: names or ids."),
    ] = None,
    days: Annotated[
        float, Option("--days", min=0, metavar="N", help="Look back this many days.")
    ] = 7.0,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """List agents that a crash or reboot ended, and restart them."""
    if action not in _ACTIONS:
        raise InvalidValueError(f"{action!r} is not an action: use list, restore or save")
    if action == "save":
        _save(json=json)
        return
    if problem := fault():
        print_note(problem)
    restarts = _plans(_wanted(interrupted(days=days, now=time.time()), sessions or []))
    if action == "list":
        _list(restarts, days, json=json)
        return
    _restore(restarts, days, yes=yes, json=json)


def _plans(entries: list[Interrupted]) -> list[Restart]:
    if all(entry.view.status.conversation is None for entry in entries):
        return [plan(None, entry) for entry in entries]
    with open_archive() as archive:
        return [plan(archive, entry) for entry in entries]


def _wanted(entries: list[Interrupted], names: list[str]) -> list[Interrupted]:
    """The entries that are named; all where none is.

    Raises:
        NotFoundError: a name fits none of them.
    """
    if not names:
        return entries
    for name in names:
        if not any(_is_called(entry, name) for entry in entries):
            raise NotFoundError(
                f"no interrupted session is called {one_line(name)}; `dejavu desk` lists them"
            )
    return [entry for entry in entries if any(_is_called(entry, name) for name in names)]


def _is_called(entry: Interrupted, name: str) -> bool:
    session = entry.view.session
    return bool(name) and (name == session.name or session.id.startswith(name))


def _save(*, json: bool) -> None:
    views = save(time.time())
    if json:
        print_json({"saved": [view.session.id for view in views]})
        return
    print(f"Noted {len(views)} running session{'s' if len(views) != 1 else ''}.")
    for view in views:
        print(f"  {one_line(view.label, 30)}  {one_line(view.session.agent, 20)}")


def _list(restarts: list[Restart], days: float, *, json: bool) -> None:
    if json:
        print_rows("sessions", [_document(one) for one in restarts])
        return
    if not restarts:
        print_note(f"no session was interrupted in the last {days:g} days")
        return
    _print(restarts)
    print_note("`dejavu desk restore` starts them again")


def _restore(restarts: list[Restart], days: float, *, yes: bool, json: bool) -> None:
    able = [one for one in restarts if not one.problem]
    if not json:
        _print(restarts)
    if not able:
        print_note(
            "nothing to restore" if restarts else f"nothing was interrupted in {days:g} days"
        )
        raise ExitError(1 if restarts else 0)
    if not yes:
        if not sys.stdin.isatty():
            raise InvalidValueError("no terminal to ask on: add --yes")
        if not confirm(f"Start {len(able)} session{'s' if len(able) != 1 else ''}?"):
            raise ExitError(130)
    rows = [_restarted(one) for one in able]
    if json:
        print_rows("sessions", rows)
    if any(row["error"] for row in rows) or len(able) < len(restarts):
        raise ExitError(1)


def _restarted(restart: Restart) -> dict[str, Any]:
    """Start one; a failure is said and does not stop the others."""
    row = {**_document(restart), "session": None, "draft_typed": False, "error": None}
    label = one_line(restart.entry.view.label, 40)
    try:
        view = start(restart)
    except (DejavuError, OSError) as error:
        print_note(f"{label}: not started: {one_line(str(error))}")
        return {**row, "error": str(error)}
    print_note(f"{label}: started; `dejavu attach {label}` shows it")
    row["session"] = view.session.id
    draft = restart.entry.view.status.draft
    if draft:
        problem = type_draft(view, draft)
        row["draft_typed"] = not problem
        if problem:
            print_note(f"{label}: the draft was not typed: {one_line(problem, _SHOWN)}")
    return row


def _print(restarts: list[Restart]) -> None:
    print("\n\n".join("\n".join(_lines(one)) for one in restarts))


def _lines(restart: Restart) -> Iterator[str]:
    view = restart.entry.view
    status, session = view.status, view.session
    facts = status.facts or {}
    when = age(restart.entry.ended_at, time.time())
    yield "  ".join(
        (
            one_line(view.label, 30), one_line(session.agent, 20), one_line(restart.folder),
            f"{when}, {_WORDS[restart.entry.reason]}",
        )
    )  # fmt: skip
    question = (_asked(status) or {}).get("question")
    for title, text in (
        ("prompt", facts.get("last_prompt")),
        ("draft", status.draft),
        ("asked", question),
    ):
        if text:
            yield f"  {title:8}{one_line(str(text), _SHOWN)}"
    if restart.problem:
        yield f"  cannot start: {one_line(restart.problem)}"
        return
    where = f"in tmux {':'.join(filter(None, restart.tmux))}" if restart.tmux[0] else "detached"
    start_ = " ".join(restart.command)
    fresh = "" if restart.found else "; no conversation was archived, so it starts fresh"
    yield f"  start   {one_line(start_, _SHOWN)}, {one_line(where)}{fresh}"
    lost = restart.found.plan if restart.found else None
    if lost is not None:
        count = len(lost.needed)
        yield f"  files   {count} to put back first; `dejavu undelete {lost.conversation.id}` lists them"


def _asked(status: Status) -> dict[str, Any] | None:
    """What it asked when it was ended: a hangup makes it `exited` with the question still open."""
    return status.blocked if status.state in ("blocked", "exited") else None


def _document(restart: Restart) -> dict[str, Any]:
    view = restart.entry.view
    status = view.status
    return {
        "id": view.session.id, "name": view.session.name, "agent": view.session.agent,
        "folder": restart.folder, "reason": restart.entry.reason,
        "ended_at": to_iso(restart.entry.ended_at), "conversation": status.conversation,
        "last_prompt": (status.facts or {}).get("last_prompt"), "draft": status.draft or None,
        "blocked": _asked(status),
        "command": restart.command, "size": view.session.size or None,
        "tmux": view.session.tmux or None,
        "lost": restart.found is not None and restart.found.plan is not None,
        "problem": restart.problem or None,
    }  # fmt: skip
