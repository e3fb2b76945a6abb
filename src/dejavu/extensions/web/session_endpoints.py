"""The endpoints of running sessions: what they do, say and show, and a hand on them.

Each does what the command of its name does, and refuses what that refuses. Looking costs a small
file or one question to the session's observer; messages are read from the archive, a page a time.
"""

from typing import Any

from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.model import InvalidValueError, NotFoundError, turn_to_dict
from dejavu.screen import Style, Terminal
from dejavu.sessions import answer as answers
from dejavu.sessions import session_store as sessions
from dejavu.sessions.delivery import Receipt, deliver
from dejavu.sessions.observer.screen_server import look
from dejavu.sessions.priority import by_attention, roll_up
from dejavu.sessions.send_input import press
from dejavu.sessions.serialize import session_to_dict
from dejavu.sessions.start_session import start
from dejavu.sessions.stop_session import stop

from .endpoint import ARCHIVE, Endpoint, Parameter

_MOST_TURNS = 500
_PAUSE = 0.02  # seconds between keys: an Escape right before another would be Alt with it
_STYLES = ("bold", "dim", "italic", "underline", "inverse", "strike", "blink", "invisible")


def list_sessions(all: bool) -> list[dict[str, Any]]:  # noqa: A002 - the query's own name
    """Sessions, those that need a person first."""
    views = by_attention(sessions.find_all())
    return [session_to_dict(view) for view in views if all or view.live]


def show_session(session: str) -> dict[str, Any]:
    """One session; asking for it does not count as having seen it."""
    return session_to_dict(sessions.find(session))


def see_session(session: str) -> dict[str, Any]:
    """Note that a user looked at the session: `done` becomes `idle`."""
    sessions.touch(sessions.find(session).folder, "seen")
    return session_to_dict(sessions.find(session))


def start_session(
    command: list[str],
    name: str | None,
    workspace: str | None,
    size: str | None,
    screen: bool | None,
) -> dict[str, Any]:
    """Start an agent detached, as `dejavu run --detach` does."""
    return session_to_dict(start(command, name=name, workspace=workspace, size=size, screen=screen))


def send_text(
    session: str, text: str, enter: bool, force: bool, wait: bool, queue: bool, timeout: int
) -> dict[str, Any]:
    """Send text to the session's agent, and see it taken."""
    view = sessions.find(session)
    receipt = deliver(view, text, enter=enter, force=force, wait=wait, queue=queue, timeout=timeout)
    return {**session_to_dict(sessions.find(session)), **receipt._asdict()}


def press_keys(session: str, keys: list[str]) -> dict[str, Any]:
    """Press keys, whatever the agent asks."""
    if not keys:
        raise InvalidValueError("keys: give at least one, such as Escape")
    press(sessions.find(session), keys, pause=_PAUSE)
    return session_to_dict(sessions.find(session))


def answer_session(
    session: str, choice: str, asked: dict[str, Any] | None, expect: str
) -> dict[str, Any]:
    """Choose in the dialog by which the agent asks; what was chosen is in `answered`."""
    chosen = answers.answer(sessions.find(session), choice, asked=asked, expect=expect)
    receipt = Receipt(True, True, True, by="screen")._asdict()
    return {**session_to_dict(sessions.find(session)), "answered": chosen, **receipt}


def interrupt_session(session: str) -> dict[str, Any]:
    """Interrupt what the agent does; the state tells whether it listened."""
    answers.interrupt(sessions.find(session))
    return session_to_dict(sessions.find(session))


def stop_session(session: str, timeout: int, kill: bool) -> dict[str, Any]:
    """End the agent."""
    view = sessions.find(session)
    stop(view, timeout=timeout, kill=kill)
    return session_to_dict(sessions.with_liveness(view))


def show_messages(session: str, after: int | None, limit: int) -> dict[str, Any]:
    """Turns of the session's conversation, as far as they are archived; `next` continues behind them."""
    view = sessions.find(session)
    conversation, first = view.status.conversation, 0 if after is None else after + 1
    turns: list[dict[str, Any]] = []
    if conversation is not None:
        with ARCHIVE:
            try:
                with open_archive() as archive:
                    stored = archive.turns(conversation, first, first + limit)
                    turns = [turn_to_dict(turn) for turn in stored]
            except (NoArchiveError, NotFoundError):
                turns = []  # it is named before it is there
    full = len(turns) == limit
    return {
        "session": view.session.id, "conversation": conversation, "turns": turns,
        "next": turns[-1]["seq"] if full else None,
    }  # fmt: skip


def show_screen(session: str, styles: bool) -> dict[str, Any]:
    """The screen as it is now, secrets replaced: rows, and with `styles` each row's styled runs."""
    shown = look(sessions.find(session).folder)
    fields = ("columns", "lines", "rows", "title", "alternate", "cursor", "state", "rule")
    screen = {name: shown.get(name) for name in fields}
    if styles:
        screen["spans"] = _spans(shown)
    return screen


def _spans(shown: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Each row as runs of one style, read off the drawing."""
    terminal = Terminal(shown["columns"], shown["lines"], history=0)
    terminal.feed(str(shown["drawing"]).encode("utf-8", "replace"))
    snapshot = terminal.snapshot()
    rows: list[list[dict[str, Any]]] = []
    for index, runs in enumerate(snapshot.styles):
        spans: list[dict[str, Any]] = []
        at = 0
        for run in runs:
            if run.start > at:
                spans.append({"text": snapshot.crop(index, at, run.start)})
            spans.append({"text": snapshot.crop(index, run.start, run.end), **_style(run.style)})
            at = run.end
        if rest := snapshot.crop(index, at, snapshot.columns).rstrip():
            spans.append({"text": rest})
        rows.append(spans)
    return rows


def _style(style: Style) -> dict[str, Any]:
    fields: dict[str, Any] = {name: True for name in _STYLES if getattr(style, name)}
    colors = {"fg": style.fg, "bg": style.bg}
    return {**fields, **{name: color for name, color in colors.items() if color is not None}}


def show_attention() -> dict[str, Any]:
    """The most urgent state of all live sessions, who is in it, and how many are in each."""
    return roll_up(sessions.find_all())


_ONE = "/v1/sessions/{session}"

SESSION_ENDPOINTS = (
    Endpoint(
        "GET", "/v1/sessions", "Sessions, those that need a person first.", list_sessions,
        "Sessions", (Parameter("all", "Also those that are over.", "boolean", False),),
    ),
    Endpoint(
        "POST", "/v1/sessions", "Start an agent detached.", start_session, "Session",
        body=(
            Parameter("command", "The agent and its arguments.", "array", required=True),
            Parameter("name", "A name for it."),
            Parameter("workspace", "The folder it runs in (default: the server's own)."),
            Parameter("size", "Its window's columns x lines, such as 120x40."),
            Parameter("screen", "Keep screen text if it saves no session file.", "boolean"),
        ),
        errors=(500,),
    ),
    Endpoint(
        "GET", _ONE, "One session, by id, its beginning, or name.",
        show_session, "Session", errors=(404,),
    ),
    Endpoint(
        "GET", f"{_ONE}/messages", "Turns of its conversation, as far as they are archived.",
        show_messages, "Messages",
        (Parameter("after", "Only turns behind this `seq`.", "integer", most=10**9),
         Parameter("limit", "At most so many.", "integer", 100, least=1, most=_MOST_TURNS)),
        errors=(404, 503),
    ),
    Endpoint(
        "GET", f"{_ONE}/screen", "Its screen as it is, secrets replaced.", show_screen,
        "Screen", (Parameter("styles", "With each row's styled runs.", "boolean", False),),
        errors=(404,),
    ),
    Endpoint(
        "POST", f"{_ONE}/seen", "Someone looked: done becomes idle.", see_session,
        "Session", errors=(404,),
    ),
    Endpoint(
        "POST", f"{_ONE}/send", "Send text to the agent, and see it taken.",
        send_text, "Sent",
        body=(
            Parameter("text", "What to type; empty is Enter alone.", required=True),
            Parameter("enter", "Press Enter afterwards.", "boolean", True),
            Parameter("force", "Also while it asks a person, or over a draft.", "boolean", False),
            Parameter("wait", "Wait until its field holds no draft or dialog.", "boolean", False),
            Parameter("queue", "Wait until the agent's turn is over.", "boolean", False),
            Parameter("timeout", "Seconds to wait for either.", "integer", 60, most=3600),
        ),
        errors=(404, 409),
    ),
    Endpoint(
        "POST", f"{_ONE}/keys", "Press keys, whatever the agent asks.", press_keys, "Session",
        body=(Parameter("keys", "Escape, Up, Enter, Ctrl+C, a ...", "array", required=True),),
        errors=(404,),
    ),
    Endpoint(
        "POST", f"{_ONE}/answer", "Choose in the dialog by which the agent asks.", answer_session,
        "Answered",
        body=(
            Parameter("choice", "A number from 1, a label, or its beginning.", required=True),
            Parameter("asked", "The dialog as it was read (`blocked`): no other is answered.",
                      "object"),
            Parameter("expect", "A text that it has to ask about.", default=""),
        ),
        errors=(404, 409),
    ),
    Endpoint(
        "POST", f"{_ONE}/interrupt", "Interrupt what the agent does.", interrupt_session,
        "Session", errors=(404, 409),
    ),
    Endpoint(
        "POST", f"{_ONE}/stop", "End the agent.", stop_session, "Session",
        body=(
            Parameter("timeout", "Seconds it is given.", "integer", 10, most=600),
            Parameter("kill", "Kill one that does not end in time.", "boolean", False),
        ),
        errors=(404, 500),
    ),
    Endpoint(
        "GET", "/v1/attention", "The most urgent state of all, and how many are in each.",
        show_attention, "Attention",
    ),
)  # fmt: skip
"""Every endpoint about sessions that answers with one JSON document."""
