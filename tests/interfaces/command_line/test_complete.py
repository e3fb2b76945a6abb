import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.factories.sessions import start

from dejavu.interfaces.command_line import complete
from dejavu.model import Conversation


def _offered(words: str, home: Path) -> list[str]:
    """What bash is offered for the last word of a line."""
    done = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli"],
        env={
            **os.environ, "HOME": str(home), "_DEJAVU_COMPLETE": "complete_bash",
            "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1),
        },
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.split()


def test_commands_ids_agents_workspaces_and_names(home: Path, archived: list[Conversation]) -> None:
    start("20260101-000000-aaaa", "idle", name="blue")
    amp, claude = (conversation.id for conversation in archived)
    assert _offered("dejavu s", home) == [
        "sync", "show", "search", "stats", "status", "send", "stop", "secrets",
    ]  # fmt: skip
    assert _offered("dejavu memory l", home) == ["list", "log"]
    assert {"last", amp, claude} <= set(_offered("dejavu show ", home))
    assert _offered(f"dejavu show {claude[:6]}", home) == [claude]
    assert _offered("dejavu list --agent cla", home) == ["claude", "claude-cowork"]
    assert _offered("dejavu list -w /work/r", home) == ["/work/retry"]
    assert _offered("dejavu list --project /work/o", home) == ["/work/other"]
    assert _offered("dejavu send b", home) == ["blue"]


def test_without_an_archive_nothing_is_offered_and_nothing_is_said(home: Path) -> None:
    assert complete.workspaces("") == []
    assert complete.memories("") == []
    assert complete.conversations("x") == []


def test_titles_offered_cannot_act_on_the_terminal(archived: list[Conversation]) -> None:
    told = "".join(help_text for _, help_text in complete.conversations(""))
    assert "clear" in told
    assert "\x1b" not in told


@pytest.mark.parametrize("name", ["agents", "sessions", "instances"])
def test_each_is_a_list(home: Path, name: str) -> None:
    assert isinstance(getattr(complete, name)(""), list)
