import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.extensions.web.conftest import Api
from tests.factories.waiting import until

from dejavu.model import ConfigError
from dejavu.services.bearer_token import bearer_token

server = pytest.importorskip("dejavu.extensions.web.server", reason="needs the extra http")


def test_the_socket_is_private_and_goes_with_its_server(
    serve: Callable[..., Api], home: Path
) -> None:
    api = serve()
    place = Path(api.told["socket"])
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert api.get("/v1/sessions").status == 200  # its owner needs no token
    api.process.terminate()
    assert api.process.wait(30) == 0
    assert not place.exists()


def test_a_port_wants_the_token(serve: Callable[..., Api], home: Path) -> None:
    api = serve("--port", "0")
    assert api.url.startswith("http://127.0.0.1:")
    assert stat.S_IMODE(Path(api.told["token_file"]).stat().st_mode) == 0o600
    assert api.get("/v1/sessions").status == 200
    assert api.get("/v1/sessions", Authorization="Bearer wrong").status == 401
    assert api.get("/openapi.json", Authorization="Bearer wrong").status == 401
    assert api.get("/", Authorization="Bearer wrong").status == 200


def test_the_token_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "token"
    token = bearer_token(path)
    assert len(token) >= 40
    assert bearer_token(path) == token


def test_a_token_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "token"
    bearer_token(path)
    path.chmod(0o644)
    with pytest.raises(ConfigError, match="others may read"):
        bearer_token(path)
    path.write_text("short")
    path.chmod(0o600)
    with pytest.raises(ConfigError, match="no token"):
        bearer_token(path)


def test_a_link_is_not_followed_to_a_token(tmp_path: Path) -> None:
    bearer_token(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(OSError, match="symbolic"):
        bearer_token(tmp_path / "link")


@pytest.mark.fault("C1")
def test_the_page_is_opened_in_the_users_browser(
    serve: Callable[..., Api], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script stands in for the browser: what it is given opens the page, once."""
    log, browser = tmp_path / "opened", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {log}.new && mv {log}.new {log}\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(browser))
    api = serve("--open")
    until(log.is_file)
    given = log.read_text()
    page = Path(given.removeprefix("file://"))
    written = page.read_text()
    assert [stat.S_IMODE(one.stat().st_mode) for one in (page, page.parent)] == [0o600, 0o700]
    assert api.token not in written
    code = written.partition(f"{api.url.rstrip('/')}/#code=")[2].partition('"')[0]
    assert code
    assert code not in given  # other users see a program's arguments
    entered = api.ask("POST", "/login", b"", Authorization=f"Bearer {code}", Content_Type="")
    assert entered.status == 200
    assert entered.json["base"].startswith("/p/")
    assert not page.exists()
    again = api.ask("POST", "/login", b"", Authorization=f"Bearer {code}", Content_Type="")
    assert again.status == 401


@pytest.mark.fault("C1")
def test_a_real_browser_enters_through_the_file(
    serve: Callable[..., Api], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser: Any
) -> None:
    """From a file the navigation is another site's for the browser, and opens the door all the same."""
    log, program = tmp_path / "opened", tmp_path / "browser"
    program.write_text(f'#!/bin/sh\nprintf %s "$1" > {log}.new && mv {log}.new {log}\n')
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(program))
    serve("--open")
    until(log.is_file)
    page = Path(log.read_text().removeprefix("file://"))
    browser.open(page, scripts=True)
    until(lambda: str(browser.value("location.pathname")).startswith("/p/"))
    assert not page.exists()


def test_the_file_goes_with_its_server(
    serve: Callable[..., Api], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER", "/bin/true")
    api = serve("--open")
    folder = Path(api.told["token_file"]).parent / "open"
    until(lambda: any(folder.glob("*.html")))
    api.ask("GET", "/sessions")  # it serves, so it handles signals
    api.process.terminate()
    assert api.process.wait(30) == 0
    assert not any(folder.iterdir())


def test_no_browser_is_said(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    environ = {**os.environ, "BROWSER": "/nonexistent/browser", "PATH": str(tmp_path)}
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        environ.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, "-m", "dejavu.interfaces.cli", "serve", "--open"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    assert "http://127.0.0.1:" in process.stdout.readline()
    assert "no browser could be opened here" in process.stderr.readline()
    process.terminate()
    process.communicate(timeout=30)
