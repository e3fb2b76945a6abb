"""The fleet as a browser shows it: live, quiet, and safe whatever a session is called."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.extensions.web.conftest import Api, axe_violations
from tests.factories.panes import until as wait_for
from tests.sessions.test_answer import ASKS

from dejavu.extensions.web.fleet_view import fleet
from dejavu.extensions.web.frame import NAMES, asset, door
from dejavu.sessions import session_store as sessions

_SHOTS = os.environ.get("DEJAVU_SHOTS")  # a folder for pictures, to be looked at
A, B, C = (f"20260101-00000{n}-aaaa" for n in range(3))
_ROWS = "[...document.querySelectorAll('#sessions .card')].map(r => r.querySelector('.state').textContent)"
_LIVE = "document.getElementById('link')?.textContent"


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


def enter(browser: Any, api: Api, view: str = "", **size: Any) -> None:
    """Come in by the door with the token, as the address of `dejavu serve` has it."""
    browser.open(Address(f"{api.url}#token={api.token}"), scripts=True, **size)
    until(browser, _LIVE, "Live")
    if view:
        base = browser.value("document.documentElement.dataset.base")
        browser.open(Address(api.url.rstrip("/") + base + view), scripts=True, **size)


def test_pages_hold_no_code_and_fetch_only_their_own(home: Path) -> None:
    for whole in (door(), fleet("/p/x")):
        assert "http" not in whole
        assert "style=" not in whole
    for name in NAMES:
        text = asset(name)
        assert text is not None
        assert "innerHTML" not in text
        assert "eval(" not in text
    assert asset("../page.py") is None


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (360, True)])
def test_the_fleet_live(
    width: int, dark: bool, serve: Callable[..., Api], session: Callable[..., Path], browser: Any
) -> None:
    folder = session(A, "working", name="api", detail="Pondering…")
    session(B, "blocked", name="web", detail="Do you want to run this command?")
    session(C, "idle", name="docs", finished_at=2.0)
    api = serve("--port", "0")
    enter(browser, api, width=width, dark=dark)
    until(browser, _ROWS, ["blocked", "done", "working"])
    assert browser.value("location.hash") == ""
    until(browser, "document.title", "(1 blocked) Fleet · Déjà Vu")
    sessions.set_status(folder, sessions.Status(state="error", since=9.0, detail="API Error: 401"))
    until(browser, _ROWS, ["blocked", "error", "done"])
    until(browser, "document.getElementById('counts').textContent", "1 blocked · 1 error · 1 done")
    browser.value(
        "document.querySelector('button:not([hidden])[aria-label=\"Seen: docs\"]').click()"
    )
    until(browser, _ROWS, ["blocked", "error", "idle"])
    assert browser.value("document.documentElement.scrollWidth") == width
    assert browser.complaints() == []
    assert all(url.startswith(api.url) for url in browser.requests())
    assert not any(api.token in url for url in browser.requests())
    assert api.token not in browser.value("document.cookie + document.documentElement.outerHTML")
    axe_violations(browser)


@pytest.mark.parametrize(
    ("wanted", "path"),
    [("memory?q=why%3F+so", "memory?q=why%3F+so"), ("#page=//127.0.0.1:1/x", "127.0.0.1:1/x")],
)
def test_the_page_that_was_asked_for_comes_after_the_door(
    wanted: str, path: str, serve: Callable[..., Api], browser: Any
) -> None:
    api = serve("--port", "0")
    browser.open(Address(f"{api.url}{wanted}"), scripts=True)
    until(browser, "document.getElementById('ask')?.hidden", False)
    assert browser.value("location.hash") == ""
    browser.value(
        f"document.getElementById('token').value = {api.token!r};"
        "document.getElementById('ask').requestSubmit()"
    )
    place = "location.origin + location.pathname.replace(/^.p.[^/]+/, '') + location.search"
    until(browser, place, f"{api.url.rstrip('/')}/{path}")


@pytest.fixture
def asking(home: Path, tmp_path: Path) -> Iterator[Path]:
    """A real wrapped agent that asks; the file in which it keeps what it was answered."""
    program, log = tmp_path / "demo", tmp_path / "log"
    program.write_text(f"#!{sys.executable}\n{ASKS}")
    program.chmod(0o755)
    command = [sys.executable, "-m", "dejavu.interfaces.run", "--headless", "--name", "asks",
               "--size", "80x24", "--", str(program), str(log)]  # fmt: skip
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ)
    wait_for(lambda: any(view.session.name == "asks" for view in sessions.find_all()))
    wait_for(lambda: sessions.find("asks").status.blocked)
    yield log
    run.terminate()
    run.wait(20)


def test_a_wrapped_agent_is_answered_interrupted_and_stopped(
    asking: Path, serve: Callable[..., Api], browser: Any, tmp_path: Path
) -> None:
    api = serve("--port", "0")
    enter(browser, api, width=768, height=1100)
    choices = "[...document.querySelectorAll('.choices button')].map(b => b.textContent)"
    until(browser, choices, ["Yes", "Yes, and do not ask again", "No, and say what to do instead"])
    assert "rm -r build" in browser.value("document.querySelector('.question pre').textContent")
    browser.value("document.querySelector('button[aria-label=\"Screen: asks\"]').click()")
    until(browser, "document.querySelector('.screen').textContent.includes('Bash command')", True)
    for width, dark in ((360, True), (360, False), (768, False), (768, True), (1440, False),
                        (1440, True)):  # fmt: skip
        browser.resize(width, 1000, dark=dark)
        assert browser.value("document.documentElement.scrollWidth") == width
        axe_violations(browser)
        if _SHOTS:
            browser.picture(Path(_SHOTS) / f"asks-{width}-{'dark' if dark else 'light'}.png")
    # The server's word on the first answer comes late: the second is done all the same.
    browser.value(
        "{ const ask = window.fetch; window.fetch = async (...sent) => { const got = await ask(...sent);"
        " if (String(sent[0]).endsWith('/answer')) await new Promise(r => setTimeout(r, 1000));"
        " return got; }; 0 }"
    )
    # By its key, with the card chosen: the second of three.
    browser.value("document.querySelector('.card').focus()")
    browser.key("2")
    until(browser, choices, ["y", "N"])
    assert asking.read_text() == "Yes, and do not ask again\n"
    browser.value("document.querySelectorAll('.choices button')[1].click()")
    until(browser, _ROWS, ["working"])
    assert asking.read_text().splitlines()[1] == "N"
    browser.value("document.querySelector('button[aria-label=\"Interrupt: asks\"]').click()")
    until(browser, "/idle|done/.test(document.querySelector('.state').textContent)", True)
    browser.value("document.querySelector('textarea').value = 'go on'")
    browser.value("document.querySelector('.reply').requestSubmit()")
    until(browser, "document.querySelector('textarea').value", "")
    browser.value("document.querySelector('button[aria-label=\"Stop: asks\"]').click()")
    assert browser.value("document.getElementById('stop').open") is True
    assert sessions.find("asks").live
    browser.value("document.querySelector('#stop .danger').click()")
    wait_for(lambda: not any(view.live for view in sessions.find_all()))
    assert browser.complaints() == []


def test_hostile_names_stay_texts(
    serve: Callable[..., Api], session: Callable[..., Path], browser: Any
) -> None:
    hostile = '<img src=x onerror="document.title=1"><b>\u202ebold\x1b[2J'
    session(A, "working", name=hostile, detail=hostile)
    api = serve("--port", "0")
    enter(browser, api)
    until(browser, _ROWS, ["working"])
    shown = browser.value("document.querySelector('#sessions h2').textContent")
    assert shown == '<img src=x onerror="document.title=1"><b><U+202E>bold'
    assert browser.value("document.querySelectorAll('#sessions img, #sessions h2 b').length") == 0
    assert browser.complaints() == []


def test_without_the_token_it_asks_for_it(
    serve: Callable[..., Api], session: Callable[..., Path], browser: Any
) -> None:
    session(A, "idle")
    api = serve("--port", "0")
    browser.open(Address(api.url), scripts=True)
    until(browser, "document.getElementById('ask').hidden", False)
    assert browser.value("document.activeElement.id") == "token"
    axe_violations(browser)
    browser.value(
        f"document.getElementById('token').value = {json.dumps(api.token)};"
        "document.querySelector('#ask button').click()"
    )
    until(browser, _ROWS, ["idle"])


def test_it_finds_its_way_back(
    serve: Callable[..., Api], session: Callable[..., Path], browser: Any
) -> None:
    session(A, "idle")
    api = serve("--port", "0")
    enter(browser, api)
    until(browser, _ROWS, ["idle"])
    api.process.terminate()
    assert api.process.wait(30) == 0
    until(browser, f"{_LIVE}.startsWith('Connection lost')", True)
    session(B, "blocked")
    serve("--port", api.url.rsplit(":", 1)[1].strip("/"))
    until(browser, _ROWS, ["blocked", "idle"])


def test_it_is_read_without_a_script(
    serve: Callable[..., Api], session: Callable[..., Path], browser: Any
) -> None:
    session(A, "blocked", name="docs")
    api = serve("--port", "0")
    enter(browser, api)
    base = browser.value("document.documentElement.dataset.base")
    browser.open(Address(api.url.rstrip("/") + base))
    until(browser, _ROWS, ["blocked"])
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    names = {
        (node["role"]["value"], node.get("name", {}).get("value"))
        for node in nodes
        if not node.get("ignored")
    }
    assert {("heading", "Fleet"), ("heading", "docs"), ("navigation", "Views")} <= names
    assert {"main", "status"} <= {role for role, _ in names}
