"""What the agent lost is listed, put back as listed, and resumed in a detached session."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.extensions.web.conftest import Api
from tests.extensions.web.test_page import enter, until
from tests.factories.archive import Result
from tests.factories.panes import until as wait_for

from dejavu.extensions.web.resume_endpoints import resume_conversation, show_resume
from dejavu.model import ConfigError, InvalidValueError, NotFoundError
from dejavu.providers.restorer import dashed
from dejavu.sessions import session_store as sessions
from dejavu.sessions.stop_session import stop

NATIVE = "0b7e3c61-0000-4000-8000-000000000001"


@pytest.fixture
def lost(
    home: Path, tmp_path: Path, dejavu: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The file of a conversation that Claude Code lost, in a folder that is here."""
    work, program = tmp_path / "pond", tmp_path / "bin" / "claude"
    work.mkdir()
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$*" > "$0.said"\nexec sleep 60\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    path = home / ".claude/projects" / dashed(str(work)) / f"{NATIVE}.jsonl"
    path.parent.mkdir(parents=True)
    record = {
        "type": "user", "uuid": "u1", "parentUuid": None, "sessionId": NATIVE, "cwd": str(work),
        "timestamp": "2026-11-01T10:00:00.000Z", "message": {"role": "user", "content": "hello"},
    }  # fmt: skip
    path.write_text(json.dumps(record) + "\n")
    assert dejavu("sync").code == 0
    path.unlink()
    return path


def end(identity: str) -> None:
    stop(sessions.find(identity), timeout=10, kill=True)


def test_it_is_put_back_as_listed_and_started(lost: Path, tmp_path: Path) -> None:
    found = show_resume("last")
    assert (found["command"], found["folder"]) == (
        ["claude", "--resume", NATIVE],
        str(tmp_path / "pond"),
    )
    assert found["restores"] == [str(lost)]
    with pytest.raises(InvalidValueError, match="1 files would be put back, not 0"):
        resume_conversation("last", 0)
    assert not lost.exists()
    session = resume_conversation("last", 1)
    try:
        assert lost.exists()
        said = tmp_path / "bin" / "claude.said"
        wait_for(lambda: said.exists() and said.read_text() == f"--resume {NATIVE}\n")
    finally:
        end(session["id"])
    assert show_resume("last")["restores"] == []


def test_a_file_that_differs_is_refused(lost: Path) -> None:
    lost.write_text("mine\n")
    for ask in (lambda: show_resume("last"), lambda: resume_conversation("last", 0)):
        with pytest.raises(ConfigError, match="differ"):
            ask()
    assert lost.read_text() == "mine\n"


def test_what_is_not_here_is_named(lost: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NotFoundError, match="claude is not on the PATH"):
        resume_conversation("last", 1)
    assert not lost.exists()


def test_one_key_on_the_page(lost: Path, serve: Callable[..., Api], browser: Any) -> None:
    api = serve("--port", "0")
    listed = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli", "list", "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    (head,) = json.loads(listed.stdout)["conversations"]
    enter(browser, api, f"conversations/{head['id']}")
    until(browser, "document.getElementById('marks').hidden", False)
    browser.value(
        "window.confirm = (words) => { document.title = words; return false; };"
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'R', bubbles: true}))"
    )
    until(browser, f"document.title.includes({json.dumps(str(lost))})", True)
    assert not lost.exists()
    browser.value("window.confirm = () => true; document.getElementById('resume').click()")
    until(browser, "location.hash.startsWith('#s-')", True)
    try:
        assert lost.exists()
    finally:
        end(browser.value("location.hash").removeprefix("#s-"))
