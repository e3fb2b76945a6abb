"""Every listener of ours, asked by a real second user of this machine (skips where there is none)."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from tests.drills.budget import Budget
from tests.drills.trust import Tally
from tests.drills.trust.local_user import (
    FORMS,
    HOSTS,
    TOKENS,
    Listeners,
    _requests,
    answered,
    attack,
    leaks,
    listening,
    open_to_all,
    request,
)
from tests.other_user import attempt, attempts, needs_other_user

pytest.importorskip("uvicorn", reason="needs the extra http or otlp")
pytestmark = needs_other_user


@pytest.fixture(scope="module")
def here() -> Iterator[Listeners]:
    with listening() as running:
        yield running


def test_no_secret_is_in_an_argument_list(here: Listeners) -> None:
    assert set(here.secrets) == {"serve", "otlp", "wire", "code"}
    assert leaks(here) == []


@pytest.mark.parametrize("name", ["serve", "otlp", "wire"])
@pytest.mark.fault("C1", "C2")
def test_a_port_answers_us_and_no_one_else(here: Listeners, name: str) -> None:
    port, secret = here.ports[name]
    tries = list(product(HOSTS, TOKENS, FORMS))
    replies = attempts(
        [
            attempt(host, port, request(name, port, secret, token, form), close=form == FORMS[-1])
            for host, token, form in tries
        ]
    )
    assert [one for one, reply in zip(tries, replies, strict=True) if answered(reply)] == []
    assert here.upstream == []
    (reply,) = attempts([attempt("127.0.0.1", port, _ours(name, port, secret))], uid=os.geteuid())
    assert reply.startswith(b"HTTP/1.1 "), "the attempts are well formed"
    assert answered(reply)
    here.upstream.clear()


def _ours(name: str, port: int, secret: str) -> bytes:
    head = request(name, port, secret, "wrong", "plain")
    return head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)


@pytest.mark.parametrize("token", TOKENS[1:])
@pytest.mark.parametrize("name", ["serve", "otlp", "wire"])
@pytest.mark.fault("C2")
def test_the_token_is_a_layer_of_its_own(here: Listeners, name: str, token: str) -> None:
    """Where no one tells whose a connection is, this alone decides: so we are refused, too."""
    port, secret = here.ports[name]
    data = request(name, port, secret, token, "plain")
    data = data.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)
    (reply,) = attempts([attempt("127.0.0.1", port, data)], uid=os.geteuid())
    assert reply.split(b" ", 2)[1] in (b"401", b"404"), reply


def test_sockets_are_private_and_know_their_peers(here: Listeners) -> None:
    assert len(here.sockets) > 1
    assert "guard" in {path.name for path in here.sockets}, "the daemon's, too"
    assert [path for path in here.sockets if "sessions" in path.parts], (
        "those of acp's session, too"
    )
    for path in here.sockets:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700, path
    ask = b"GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\n\r\n"
    lines = [attempt("unix", path, one) for path in here.sockets for one in (ask, *_requests())]
    assert {one[:8] for one in attempts(lines)} == {b"refused:"}
    open_to_all(here)
    assert [one for one in attempts(lines) if answered(one)] == []


_AGENT = "#!/bin/sh\nprintf '\\342\\235\\257 hi\\r\\n\\r\\n\\342\\227\\217 done\\r\\n'; sleep 1\n"
_PROMPT = '{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"hi","cwd":"/"}'
_RESULT = (
    '{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":"hi"}'
)
_EDITOR = (
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n'
    '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}\n'
)
_CAPTURE = "from dejavu.interfaces.hooks.capture import main; main(['claude'])"
_RUNS = (
    (("-m", "dejavu.interfaces.run", "--headless", "--screen", "--", "claude"), ""),
    (("-c", _CAPTURE), _PROMPT),
    (("-m", "dejavu.interfaces.hooks.guard", "--agent", "claude"), _RESULT),
    (("-m", "dejavu.interfaces.cli", "acp", "claude"), _EDITOR),
    (("-m", "dejavu.interfaces.cli", "acp", "--tap", "--", "claude"), _EDITOR),
    (("-m", "dejavu.interfaces.cli", "sync"), ""),
    (("-m", "dejavu.interfaces.cli", "search", "hi"), ""),
    (("-m", "dejavu.interfaces.cli", "daemon", "--stop"), ""),
)


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_no_file_of_ours_is_open_to_another_user(tmp_path: Path, umask: int) -> None:
    home, programs = tmp_path / "home", tmp_path / "bin"
    for folder in (home, programs):
        folder.mkdir()
    (programs / "claude").write_text(_AGENT)
    (programs / "claude").chmod(0o755)
    env = {"HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}", "LANG": "C.UTF-8"}
    for words, given in _RUNS:
        subprocess.run(
            [sys.executable, "-P", *words], input=given, env=env, cwd=home, umask=umask, text=True,
            check=False, capture_output=True, timeout=120,
        )  # fmt: skip
    files = [path for path in home.rglob("*") if not path.is_symlink()]
    assert any(path.name == "status.json" for path in files)
    assert any("spool" in path.parts for path in files)
    assert len({path.parent for path in files if path.name == "session.json"}) > 1, (
        "that of acp, too"
    )
    assert any("archive" in path.parts and path.is_file() for path in files)
    # Folders that others made before us are theirs to judge; ours begin with `dejavu`.
    ours = [path for path in files if "dejavu" in path.relative_to(home).parts]
    assert [str(path) for path in ours if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def test_the_angle_counts_what_it_tried() -> None:
    tally = Tally()
    attack(Budget(20.0, 2, 1), tally)
    assert tally.tried > 32
    assert tally.fell == []
