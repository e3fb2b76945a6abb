"""The server as a program, on a Unix socket or a port, and a small client for it."""

import contextlib
import http.client
import importlib.util
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.factories.sessions import start

REPO = Path(__file__).resolve().parents[3]


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=30)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(30)
        # A test's folder may be longer than a socket's address: through its folder it fits.
        path = Path(self._path)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self.sock.connect(f"/proc/self/fd/{folder}/{path.name}")
        finally:
            os.close(folder)


class Api:
    """A running server: where it is, and questions to it."""

    def __init__(self, process: subprocess.Popen[str], told: dict[str, str]) -> None:
        self.process, self.told = process, told
        self.url, self.token = told.get("url", ""), ""
        if "token_file" in told:
            self.token = Path(told["token_file"]).read_text().strip()

    def open(
        self, method: str, path: str, body: bytes | Iterable[bytes] | None = None, **headers: str
    ) -> Any:
        """The connection's response, to be read; `Authorization=""` leaves the token out."""
        connection: http.client.HTTPConnection
        if self.url:
            connection = http.client.HTTPConnection(self.url.split("/")[2], timeout=30)
        else:
            connection = _UnixConnection(self.told["socket"])
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            given.setdefault("Authorization", f"Bearer {self.token}")
        connection.request(method, path, body, {k: v for k, v in given.items() if v})
        response = connection.getresponse()
        response.connection = connection  # type: ignore[attr-defined] - kept open with it
        return response

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            headers.setdefault("Content_Type", "application/json")
        response = self.open(method, path, data, **headers)
        with contextlib.closing(response.connection):
            fields = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, fields, response.read())

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, **headers)


def _chromium() -> Any:
    place = REPO / "tests" / "export" / "html" / "chromium.py"
    spec = importlib.util.spec_from_file_location("chromium", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def axe_violations(browser: Any) -> None:
    """Fail with what axe finds in the page; nothing where axe-core is not installed."""
    path = _chromium().axe_path()
    if not path.is_file():
        return
    browser.value("0;" + path.read_text())
    result = browser.value(
        "axe.run(document, {resultTypes: ['violations']}).then(r => r.violations)"
    )
    assert [(one["id"], [n["html"] for n in one["nodes"]]) for one in result] == []


@pytest.fixture
def serve(home: Path) -> Iterator[Callable[..., Api]]:
    """`serve("--port", "0")` starts a server, which is ended by a signal afterwards."""
    pytest.importorskip("uvicorn", reason="needs the extra http")
    pytest.importorskip("sse_starlette", reason="needs the extra http")
    running: list[subprocess.Popen[str]] = []

    def call(*arguments: str) -> Api:
        process = subprocess.Popen(
            [sys.executable, "-m", "dejavu.interfaces.cli", "serve", "--json", *arguments],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        running.append(process)
        assert process.stdout is not None
        return Api(process, json.loads(process.stdout.readline()))

    yield call
    for process in running:
        process.terminate()
        assert process.wait(30) == 0
        assert process.stdout is not None
        process.stdout.close()


@pytest.fixture
def session(home: Path) -> Callable[..., Path]:
    """`session("20260101-000000-aaaa", "idle")` makes a live session; gives its folder."""
    return start


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Any]:
    """A headless Chromium (see tests/export/html/chromium.py)."""
    chromium = _chromium().start(tmp_path / "profile")
    yield chromium
    chromium.close()
