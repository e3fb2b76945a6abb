"""The frame of every page of the server: head, links to the views, landmarks, help.

Everything from agents enters through `tag`, which sanitises and escapes it. Pages are read without a
script; the scripts are our own files under `assets/`, and the policy allows no others.

Tested in: tests/extensions/web/test_page.py
"""

from functools import cache
from importlib.resources import files

from markupsafe import Markup

from dejavu.export.html import STYLE, join, tag

VIEWS = (("", "Fleet"), ("conversations", "Conversations"), ("memory", "Memory"),
         ("stats", "Stats"), ("agents", "Agents"), ("doctor", "Doctor"))  # fmt: skip
ASSET_TYPES = {"js": "text/javascript", "css": "text/css"}
_KEYS = (
    ("j k", "Next and previous"),
    ("Enter", "Open a conversation"),
    ("/", "In conversations: search, or find in the page; in memory: ask"),
    ("n N", "Next and previous match; in the fleet, who needs you next"),
    ("1 to 9", "Answer the chosen session's question"),
    ("r", "Write to the chosen session"),
    ("s", "Show or hide its screen"),
    ("R", "Resume the conversation in its agent"),
    ("c x", "In memory: the answer is right, is wrong"),
    ("h l", "Turn by turn: the turn before and after"),
    ("?", "These keys"),
)


@cache
def asset(name: str) -> str | None:
    """The text of a file of ours, None where there is none of this name; the sheet is whole."""
    if name not in NAMES:
        return None
    text = files("dejavu.extensions.web").joinpath("assets", name).read_text("utf-8")
    return str(STYLE) + text if name == "page.css" else text


NAMES = ("page.css", "page.js", "fleet.js", "screen.js", "door.js", "conversations.js",
         "memory.js", "moment.js", "reading.js")  # fmt: skip


def frame(title: str, *main: Markup | None, base: str, here: str | None, script: str = "") -> str:
    """A whole page: `here` is its view's address below `base`, None before the door."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("link", rel="icon", href="data:,"),
        tag("link", rel="stylesheet", href="/assets/page.css"),
        tag("title", f"{title} · Déjà Vu"),
        tag("script", type="module", src=f"/assets/{script}") if script else None,
    )
    links = join(
        tag(
            "a", name, href=f"{base}/{address}",
            aria_current="page" if address == here else None,
        )
        for address, name in VIEWS
    )  # fmt: skip
    body = tag(
        "body",
        tag("a", "Skip to the content", class_="skip", href="#main"),
        tag(
            "div",
            tag("nav", links, class_="views", aria_label="Views") if here is not None else None,
            *main,
            class_="page",
        ),
        _help() if here is not None else None,
    )
    root = tag("html", head, body, lang="en", data_base=f"{base}/")
    return f"<!doctype html>\n{root}"


def _help() -> Markup:
    rows = join(
        tag(
            "div",
            tag("dt", join((tag("kbd", key) for key in keys.split(" ")), " ")),
            tag("dd", what),
        )
        for keys, what in _KEYS
    )
    close = tag("form", tag("button", "Close", type="submit"), method="dialog")
    return tag("dialog", tag("h2", "Keys"), tag("dl", rows, class_="keys"), close,
               id="help", aria_label="Keys")  # fmt: skip


def door() -> str:
    """The page that exchanges the token for a cookie; it holds nothing of anybody."""
    field = tag(
        "input", id="token", type="password", autocomplete="off", spellcheck="false", required=True
    )
    ask = tag(
        "form",
        tag("p", "This address needs a token. ", tag("code", "dejavu web"), " says where it is:"),
        tag("label", "Token ", field),
        " ",
        tag("button", "Connect", type="submit"),
        id="ask",
        hidden=True,
    )
    main = tag(
        "main",
        tag("h1", "Déjà Vu"),
        tag("noscript", tag("p", "Without a script, read over the Unix socket of ",
                            tag("code", "dejavu serve"), ".")),
        tag("p", "Connecting…", id="link", role="status"),
        ask,
        id="main",
    )  # fmt: skip
    return frame("Connect", main, base="", here=None, script="door.js")
