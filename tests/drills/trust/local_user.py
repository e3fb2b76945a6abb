"""Another user of the machine: real listeners of ours, asked by a real process of another user.

Draws family, listener, token and form of request. Held means: not one byte came back, or the connection
was refused; whoever closes at once must have left nothing. The Unix sockets are tried with their modes
taken away, too, so that the second layer alone stands. Last, every argument list is read for secrets.
"""

import http.server
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tests.factories.waiting import until
from tests.other_user import MISSING, attempt, attempts, run

from dejavu.services.hook_protocol import GUARD, PROMPT, encode_request

from ..budget import Budget
from . import Tally

ANGLE = "another local user"
FINDINGS = ("C1", "C2")

T = TypeVar("T")
HOSTS = ("127.0.0.1", "::ffff:127.0.0.1", "::1", "127.0.0.2", "::")
TOKENS = ("right", "absent", "empty", "wrong", "shorter", "longer")
FORMS = ("plain", "pipelined", "h2c", "bare", "other host", "no host", "absolute", "closed at once")
_CLI = (sys.executable, "-P", "-m", "dejavu.interfaces.cli")
_EXPORT = json.dumps({"resourceLogs": [{
    "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "claude-code"}}]},
    "scopeLogs": [{"logRecords": [{"timeUnixNano": "1000000000000000000", "attributes": [
        {"key": key, "value": {"stringValue": value}} for key, value in
        (("event.name", "user_prompt"), ("prompt", "Forged"), ("session.id", "s-1"))]}]}],
}]})  # fmt: skip
_EDITOR = (
    ("initialize", {"protocolVersion": 1, "clientCapabilities": {}}),
    ("session/new", {"cwd": "/tmp", "mcpServers": []}),
)
_AGENT = """#!/bin/sh
[ -n "$ANTHROPIC_BASE_URL" ] || exit 3
printf %s "$ANTHROPIC_BASE_URL" > "$HOME/base.new" && mv "$HOME/base.new" "$HOME/base"
sleep 300
exit 0
"""
_BROWSER = """#!/bin/sh
printf %s "$1" > "$HOME/page.new" && mv "$HOME/page.new" "$HOME/page"
sleep 300
exit 0
"""
_ARGUMENTS = """
import glob
for path in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        print(open(path, errors="replace").read().replace("\\0", " "))
    except OSError:
        pass
"""


@dataclass
class Listeners:
    """What runs: by name, the port or path, and the secret that its requests say."""

    home: Path
    ports: dict[str, tuple[int, str]] = field(default_factory=dict)
    sockets: list[Path] = field(default_factory=list)
    secrets: dict[str, str] = field(default_factory=dict)
    upstream: list[str] = field(default_factory=list)
    end_otlp: Callable[[], str] = str

    def imported(self) -> str:
        """End the receiver; what it says of what it took."""
        return self.end_otlp()


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


@contextmanager
def listening() -> Iterator[Listeners]:
    """Every listener, in a throw-away home."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dv", dir="/tmp")))
        here = Listeners(home)
        for name, text in (("claude", _AGENT), ("browser", _BROWSER)):
            (home / name).write_text(text)
            (home / name).chmod(0o755)
        server = stack.enter_context(_upstream(here.upstream))
        env = {name: os.environ[name] for name in ("LANG", "TERM") if name in os.environ} | {
            "HOME": str(home), "PATH": f"{home}:{os.environ['PATH']}",
            "BROWSER": str(home / "browser"), "ANTHROPIC_BASE_URL": server,
            "ANTHROPIC_API_KEY": "fake",
        }  # fmt: skip

        def start(*words: str) -> "subprocess.Popen[str]":
            process = subprocess.Popen(
                [*_CLI, *words], env=env, cwd=home, text=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip
            stack.callback(_end, process)
            return process

        _start_http(here, start)
        start("wire", "--", "claude")
        base = until(lambda: _read(home / "base"))
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([^/]+)/0", base)
        assert found is not None, base
        here.ports["wire"] = int(found[1]), found[2]
        start("daemon")
        until(lambda: [*home.rglob("hooks/guard")])
        _start_acp(stack, home, env)
        here.sockets = [one for one in home.rglob("*") if one.is_socket()]
        here.secrets |= {name: secret for name, (_, secret) in here.ports.items()}
        yield here


def _start_acp(stack: ExitStack, home: Path, env: dict[str, str]) -> None:
    """`dejavu acp` with a session of its own, as an editor asks for it."""
    process = subprocess.Popen(
        [*_CLI, "acp", "claude"], env=env, cwd=home, text=True, stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    stack.callback(_end, process)
    before = {*home.rglob("sessions/*")}
    assert process.stdin is not None
    for number, (method, params) in enumerate(_EDITOR):
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()

    def sockets() -> list[Path]:
        new = {*home.rglob("sessions/*")} - before
        return [one for folder in new for one in folder.rglob("*") if one.is_socket()]

    until(sockets)


def _start_http(here: Listeners, start: Callable[..., "subprocess.Popen[str]"]) -> None:
    """`serve` on a port with its browser, `serve` on a socket, `otlp`."""
    serve, plain, otlp = (
        start("serve", "--open", "--json"), start("serve", "--json"),
        start("otlp", "--port", "0", "--json"),
    )  # fmt: skip
    told = _document(serve)
    here.ports["serve"] = (
        int(told["url"].split(":")[2].strip("/")), Path(told["token_file"]).read_text().strip(),
    )  # fmt: skip
    _document(plain)
    told = _document(otlp)
    here.ports["otlp"] = (
        int(told["endpoint"].split(":")[2]), Path(told["token_file"]).read_text().strip(),
    )  # fmt: skip
    page = until(lambda: _read(here.home / "page"))
    here.secrets["code"] = (
        Path(page.removeprefix("file://")).read_text().partition("#code=")[2][:32]
    )

    def end() -> str:
        otlp.send_signal(signal.SIGINT)
        return otlp.communicate(timeout=60)[1]

    here.end_otlp = end


def _document(process: "subprocess.Popen[str]") -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def _end(process: "subprocess.Popen[str]") -> None:
    """End a command and what it started, which are a session of their own."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=20)
    except (ProcessLookupError, ValueError):
        pass
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@contextmanager
def _upstream(asked: list[str]) -> Iterator[str]:
    """A model's server; notes what reached it."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # http.server's name
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def request(name: str, port: int, secret: str, token: str, form: str) -> bytes:
    """One attempt's bytes; `token` and `form` are of TOKENS and FORMS."""
    said = {
        "right": secret, "absent": "", "empty": "", "wrong": "x" * len(secret),
        "shorter": secret[:-1], "longer": secret + "x",
    }[token]  # fmt: skip
    path = {"serve": "/v1/sessions", "otlp": "/v1/logs", "wire": f"/{said}/0/v1/messages"}[name]
    body = _EXPORT if name != "serve" else ""
    host = {"other host": "evil.example", "bare": f"127.0.0.1:{port}"}.get(
        form, f"localhost:{port}"
    )
    fields = [] if form == "no host" else [f"Host: {host}"]
    if token != "absent" and name != "wire":
        fields.append(f"Authorization: Bearer {said}")
    if form == "h2c":
        fields += [
            "Connection: Upgrade, HTTP2-Settings",
            "Upgrade: h2c",
            "HTTP2-Settings: AAMAAABk",
        ]
    if body:
        fields += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    target = f"http://127.0.0.1:{port}{path}" if form == "absolute" else path
    end = "\n" if form == "bare" else "\r\n"
    lines = [f"{'POST' if body else 'GET'} {target} HTTP/1.1", *fields, "", body]
    return (end.join(lines) * (3 if form == "pipelined" else 1)).encode()


def answered(reply: bytes) -> bool:
    """Whether anything but a closed door came back."""
    return bool(reply) and not reply.startswith(b"refused: ")


def leaks(here: Listeners) -> list[str]:
    """The secrets that stand in an argument list, as the other user reads them, by name."""
    seen = run(_ARGUMENTS)
    assert str(here.home) in seen, "the other user reads no argument lists here"
    return [name for name, secret in here.secrets.items() if secret and secret in seen]


def open_to_all(here: Listeners) -> None:
    """Take away what modes protect: sockets 0666, the folders above them 0755."""
    for path in here.sockets:
        if not path.exists():
            continue
        path.chmod(0o666)
        for folder in path.parents:
            if folder == here.home.parent:
                break
            folder.chmod(0o755)


def attack(budget: Budget, tally: Tally) -> None:
    """Draw attempts until the budget ends, in batches of one process each."""
    if MISSING:
        tally.skipped = MISSING
        return
    with listening() as here:
        for name in leaks(here) or [""]:
            tally.record(not name, f"the secret of {name} stands in an argument list")
        _ports(here, budget, tally)
        for weak in (False, True):
            if weak:
                open_to_all(here)
            data = [
                b"GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\n\r\n",
                b"stop\n",
                b"\x81\xa2do\xa4size",
                *_requests(),
            ]
            tries = [(path, one) for path in here.sockets if path.exists() for one in data]
            replies = attempts([attempt("unix", path, one) for path, one in tries])
            for (path, one), reply in zip(tries, replies, strict=True):
                how = "without modes" if weak else "as it is"
                tally.record(not answered(reply), f"{path.name} {how} answers {one!r}")
        said = here.imported()
        tally.record("0 exports, 0 conversations" in said, f"otlp took an export: {said}")
        tally.record(not here.upstream, f"wire passed on {here.upstream[:3]}")


def _requests() -> list[bytes]:
    """What our own hooks ask the daemon: to judge a result, and for a prompt's history."""
    until = time.monotonic() + 600
    result = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_response": {"stdout": "x"},
    }
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "hi", "cwd": "/"}
    return [
        encode_request(kind, until, {"agent": "claude"}, json.dumps(payload).encode())
        for kind, payload in ((GUARD, result), (PROMPT, prompt))
    ]


def _ports(here: Listeners, budget: Budget, tally: Tally) -> None:
    while budget.more():
        drawn = [
            (
                *budget.random.choice(sorted(here.ports.items())),
                *(budget.random.choice(some) for some in (HOSTS, TOKENS, FORMS)),
            )
            for _ in range(16)
        ]
        replies = attempts([
            attempt(host, port, request(name, port, secret, token, form), close=form == "closed at once")
            for name, (port, secret), host, token, form in drawn
        ])  # fmt: skip
        for (name, _, host, token, form), reply in zip(drawn, replies, strict=True):
            tally.record(
                not answered(reply), f"{name} at {host}, token {token}, {form}: {reply[:40]!r}"
            )
