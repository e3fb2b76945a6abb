"""`dejavu upgrade`: registrations of an older version are brought up to this one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dejavu.integrations.launcher import launcher


def test_launcher_and_entries_are_renewed(dejavu: Callable[..., Any], home: Path) -> None:
    (home / ".claude").mkdir()
    dejavu("init", "claude", "--yes")
    path = home / ".claude/settings.json"
    wanted = path.read_text()
    path.write_text(wanted.replace("SubagentStart", "OldEvent"))
    launcher().write_text("#!/bin/sh\n")
    assert "SubagentStart" in dejavu("upgrade", "--dry-run").out
    assert "claude" in dejavu("upgrade").out
    assert "SubagentStart" in path.read_text()
    assert "OldEvent" not in path.read_text()
    assert "exec" in launcher().read_text()
    assert dejavu("upgrade").out == "up to date\n"
    dejavu("uninstall")
    assert not path.exists()


def test_nothing_registered_is_up_to_date(dejavu: Callable[..., Any], home: Path) -> None:
    assert dejavu("upgrade").out == "up to date\n"
    assert not list(home.iterdir())
