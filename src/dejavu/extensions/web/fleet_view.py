"""The fleet: a card a session, who needs a person first, and a hand on each.

One function makes every card: those the page comes with, readable without a script, and the empty one
that the script fills. O(sessions that run).

Tested in: tests/extensions/web/test_page.py
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from dejavu.export.html import join, line, tag
from dejavu.sessions import session_store as sessions
from dejavu.sessions.priority import ATTENTION, by_attention, roll_up
from dejavu.sessions.serialize import session_to_dict

from .conversation_views import newest
from .frame import frame


def fleet(base: str) -> str:
    """The page, as things stand now."""
    views = by_attention(view for view in sessions.find_all() if view.live)
    counts = roll_up(views)["counts"]
    cards = tag("div", join(card(session_to_dict(view), base) for view in views), id="sessions")
    header = tag(
        "header",
        tag("h1", "Fleet"),
        tag("p", " · ".join(f"{count} {state}" for state, count in counts.items()) or "No agent",
            id="counts", class_="counts", role="status"),
        tag("p", "As it was when this page was loaded.", id="link", class_="link"),
    )  # fmt: skip
    none = tag(
        "div",
        tag("p", "No agent is running. ", tag("code", "dejavu-run AGENT"), " starts one."),
        None if views else newest(base),
        id="none", hidden=bool(views),
    )  # fmt: skip
    main = tag("main", cards, none, id="main")
    template = tag("template", card({}), id="card", data_states=" ".join(ATTENTION))
    return frame(
        "Fleet", header, main, template, _stop_dialog(), base=base, here="", script="fleet.js"
    )


def card(session: Mapping[str, Any], base: str = "") -> Markup:
    """One session's card; an empty mapping makes one without texts."""
    state = str(session.get("state") or "unknown")
    asks: Mapping[str, Any] = session.get("blocked") or {}

    def text(element: str, name: str, class_: str | None = None, limit: int = 400) -> Markup:
        value = line(str(session.get(name) or "")[: limit * 4], limit)
        return tag(element, value, data_field=name, class_=class_)

    top = tag(
        "div",
        tag("span", state, class_=f"state {state}", data_field="state"),
        text("h2", "name", limit=80),
        tag("span", data_field="age", class_="num age"),
        class_="top",
    )
    where = tag("p", text("span", "agent"), " · ", text("span", "workspace"), class_="where")
    return tag(
        "article",
        top,
        where,
        text("p", "title", "title"),
        text("p", "last_prompt", "prompt"),
        text("p", "last_words", "words", 1000),
        text("p", "detail", "detail"),
        _question(asks),
        _reply(),
        _tools(session, base),
        tag("p", class_="fault", role="alert", data_field="fault", hidden=True),
        tag("div", class_="shown", data_field="screen", hidden=True),
        class_="card",
        tabindex="0",
        data_session=str(session.get("session") or ""),
        id=f"s-{session['session']}" if session else None,
    )


def _question(asks: Mapping[str, Any]) -> Markup:
    choices = (
        tag("li", tag("button", line(str(choice), 300), type="button", disabled=True))
        for choice in asks.get("choices", ())
    )
    return tag(
        "section",
        tag("pre", str(asks.get("subject") or ""), data_field="subject", class_="wrap",
            hidden=not asks.get("subject"), tabindex="0", aria_label="What it is about"),
        tag("p", tag("b", line(str(asks.get("question") or ""), 600), data_field="question")),
        tag("ol", join(choices), class_="choices", data_field="choices",
            start=str(asks.get("first", 1))),
        class_="question",
        aria_label="Question",
        data_field="asks",
        hidden=not asks,
    )  # fmt: skip


def _reply() -> Markup:
    return tag(
        "form",
        tag("label", tag("span", "Write to it", class_="sr", data_field="label"),
            tag("textarea", rows="1", placeholder="Write to it", data_field="text")),
        tag("button", "Send", type="submit"),
        class_="reply",
        data_field="reply",
        hidden=True,
    )  # fmt: skip


def _tools(session: Mapping[str, Any], base: str) -> Markup:
    conversation = quote(str(session.get("conversation") or ""), safe="")
    link = tag(
        "a", "Conversation", href=f"{base}/conversations/{conversation}?page=last",
        data_field="conversation", hidden=not conversation,
    )  # fmt: skip
    names = (("show", "Screen"), ("interrupt", "Interrupt"), ("seen", "Seen"), ("stop", "Stop…"))
    return tag(
        "div",
        join(
            tag("button", name, type="button", data_field=field, hidden=True)
            for field, name in names
        ),
        link,
        class_="tools",
    )  # fmt: skip


def _stop_dialog() -> Markup:
    buttons = (
        tag("button", "Let it run", value="", type="submit"),
        " ",
        tag("button", "Stop it", value="stop", type="submit", class_="danger"),
    )
    return tag(
        "dialog",
        tag(
            "p", "Stop ", tag("b", id="stopped"), "? Its agent ends as if its terminal was closed."
        ),
        tag("form", *buttons, method="dialog"),
        id="stop",
        aria_label="Stop a session",
    )
