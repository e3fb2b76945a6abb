"""The page as a browser shows it: live, quiet, and safe whatever a session is called."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.web.conftest import Api

from dejavu.interfaces.web.page import SCRIPT, page
from dejavu.sessions import session_store as sessions

_SHOTS = os.environ.get("DEJAVU_SHOTS")  # a folder for pictures, to be looked at
A, B, C = (f"20260101-00000{n}-aaaa" for n in range(3))
_ROWS = (
    "[...document.querySelectorAll('#sessions tr')].map(r => r.querySelector('.state').textContent)"
)


class Address:
    """A page that is not a file, for a browser that opens paths."""

    def __init__(self, url: str) -> None:
        self.url = url

    def as_uri(self) -> str:
        return self.url


def until(browser: Any, expression: str, wanted: Any) -> None:
    end = time.monotonic() + 30
    while (found := browser.value(expression)) != wanted and time.monotonic() < end:
        time.sleep(0.05)
    assert found == wanted


def test_it_holds_nothing_and_fetches_only_its_own() -> None:
    whole = page()
    assert '<script src="/fleet.js"' in whole
    assert "http" not in whole.replace("http-equiv", "")
    assert "innerHTML" not in SCRIPT
    assert "style=" not in whole


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_fleet_live(
    width: int, dark: bool, serve: Callable[..., Api], session: Callable[..., Path], browser: Any,
    tmp_path: Path,
) -> None:  # fmt: skip
    folder = session(A, "working", name="api", detail="Pondering…")
    session(B, "blocked", name="web", detail="Do you want to run this command?")
    session(C, "idle", name="docs", finished_at=2.0)
    api = serve("--port", "0")
    # Opened at the root first: a change of the part behind # alone would load nothing.
    browser.open(Address(f"{api.url}#token={api.token}"), width=width, dark=dark, scripts=True)
    until(browser, _ROWS, ["blocked", "done", "working"])
    assert browser.value("location.hash") == ""
    assert browser.value("document.title") == "(1 blocked) Fleet · Déjà Vu"
    assert browser.value("document.getElementById('link').textContent") == "Live"
    sessions.set_status(folder, sessions.Status(state="error", since=9.0, detail="API Error: 401"))
    until(browser, _ROWS, ["blocked", "error", "done"])
    until(browser, "document.getElementById('counts').textContent", "1 blocked · 1 error · 1 done")
    if _SHOTS:
        browser.picture(Path(_SHOTS) / f"fleet-{width}.png")
    browser.value(
        "document.querySelector('button:not([hidden])[aria-label=\"Seen: docs\"]').click()"
    )
    until(browser, _ROWS, ["blocked", "error", "idle"])
    assert browser.value("document.documentElement.scrollWidth") == width
    assert browser.complaints() == []
    assert all(url.startswith(api.url) for url in browser.requests())
    assert not any(api.token in url for url in browser.requests())


def test_hostile_names_stay_texts(
    serve: Callable[..., Api], session: Callable[..., Path], browser: Any
) -> None:
    hostile = '<img src=x onerror="document.title=1"><b>\u202ebold\x1b[2J'
    session(A, "working", name=hostile, detail=hostile)
    api = serve("--port", "0")
    browser.open(Address(f"{api.url}#token={api.token}"), scripts=True)
    until(browser, _ROWS, ["working"])
    shown = browser.value("document.querySelector('#sessions th span').textContent")
    assert shown == '<img src=x onerror="document.title=1"><b>bold[2J'
    assert browser.value("document.querySelectorAll('#sessions img, #sessions b').length") == 0
    assert browser.complaints() == []


def test_without_the_token_it_asks_for_it(
    serve: Callable[..., Api], session: Callable[..., Path], browser: Any
) -> None:
    session(A, "idle")
    api = serve("--port", "0")
    browser.open(Address(api.url), scripts=True)
    until(browser, "document.getElementById('ask').hidden", False)
    assert browser.value("document.activeElement.id") == "token"
    browser.value(
        f"document.getElementById('token').value = {json.dumps(api.token)};"
        "document.querySelector('#ask button').click()"
    )
    until(browser, _ROWS, ["idle"])
    assert browser.value("document.getElementById('ask').hidden") is True


def test_it_finds_its_way_back(
    serve: Callable[..., Api], session: Callable[..., Path], browser: Any
) -> None:
    session(A, "idle")
    api = serve("--port", "0")
    browser.open(Address(f"{api.url}#token={api.token}"), scripts=True)
    until(browser, _ROWS, ["idle"])
    api.process.terminate()
    assert api.process.wait(30) == 0
    until(
        browser, "document.getElementById('link').textContent.startsWith('Connection lost')", True
    )
    session(B, "blocked")
    serve("--port", api.url.rsplit(":", 1)[1].strip("/"))
    until(browser, _ROWS, ["blocked", "idle"])


def test_landmarks_and_names_for_those_who_listen(
    serve: Callable[..., Api], session: Callable[..., Path], browser: Any
) -> None:
    session(A, "idle", finished_at=2.0, name="docs")
    api = serve("--port", "0")
    browser.open(Address(f"{api.url}#token={api.token}"), scripts=True)
    until(browser, _ROWS, ["done"])
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    told = {
        (node["role"]["value"], node.get("name", {}).get("value"))
        for node in nodes
        if not node.get("ignored")
    }
    assert ("heading", "Fleet") in told
    assert ("button", "Seen: docs") in told
    assert ("table", "Running sessions, the most urgent first") in told
    assert {"banner", "main", "status"} <= {role for role, _ in told}
