"""What the agent lost is listed, put back as listed, and resumed in a detached session."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.extensions.web.conftest import Api
from tests.extensions.web.test_page import enter, until
from tests.factories.lost_claude import NATIVE, LostClaude, lose_claude, program
from tests.factories.panes import until as wait_for

from dejavu.extensions.web.resume_endpoints import resume_conversation, show_resume
from dejavu.model import ConfigError, InvalidValueError, NotFoundError
from dejavu.sessions import session_store as sessions
from dejavu.sessions.stop_session import stop


@pytest.fixture
def lost(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LostClaude:
    """A conversation that Claude Code lost, in a folder that is here."""
    path = program(tmp_path / "bin", 'echo "$*" > "$0.said"\nexec sleep 60')
    monkeypatch.setenv("PATH", path)
    return lose_claude(home, tmp_path / "pond")


def end(identity: str) -> None:
    stop(sessions.find(identity), timeout=10, kill=True)


def test_it_is_put_back_as_listed_and_started(lost: LostClaude, tmp_path: Path) -> None:
    found = show_resume("last")
    command = ["claude", "--resume", NATIVE]
    assert (found["command"], found["folder"]) == (command, str(lost.work))
    assert set(found["restores"]) == set(map(str, lost.files))
    with pytest.raises(InvalidValueError, match="3 files would be put back, not 0"):
        resume_conversation("last", 0)
    assert not any(path.exists() for path in lost.files)
    session = resume_conversation("last", 3)
    try:
        assert {path: path.read_bytes() for path in lost.files} == lost.files
        said = tmp_path / "bin" / "claude.said"
        wait_for(lambda: said.exists() and said.read_text() == f"--resume {NATIVE}\n")
    finally:
        end(session["id"])
    assert show_resume("last")["restores"] == []


def test_a_file_that_differs_is_refused(lost: LostClaude) -> None:
    lost.log.write_text("mine\n")
    for ask in (lambda: show_resume("last"), lambda: resume_conversation("last", 0)):
        with pytest.raises(ConfigError, match="differ"):
            ask()
    assert lost.log.read_text() == "mine\n"


def test_what_is_not_here_is_named(lost: LostClaude, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NotFoundError, match="claude is not on the PATH"):
        resume_conversation("last", 3)
    assert not lost.log.exists()


def test_one_key_on_the_page(lost: LostClaude, serve: Callable[..., Api], browser: Any) -> None:
    api = serve("--port", "0")
    enter(browser, api, f"conversations/{lost.identity}")
    until(browser, "document.getElementById('marks').hidden", False)
    browser.value(
        "window.confirm = (words) => { document.title = words; return false; };"
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'R', bubbles: true}))"
    )
    until(browser, f"document.title.includes({json.dumps(str(lost.log))})", True)
    assert not lost.log.exists()
    browser.value("window.confirm = () => true; document.getElementById('resume').click()")
    until(browser, "location.hash.startsWith('#s-')", True)
    try:
        assert lost.log.exists()
    finally:
        end(browser.value("location.hash").removeprefix("#s-"))
