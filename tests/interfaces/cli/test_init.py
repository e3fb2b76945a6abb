"""`dejavu init`: shown, asked for, done once."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.factories.full_disk import largest_file

from dejavu.integrations.launcher import launcher


def test_agents_that_are_here_are_registered(dejavu: Callable[..., Any], home: Path) -> None:
    (home / ".claude").mkdir()
    done = dejavu("init", "--yes")
    assert done.code == 0
    assert "hook capture --agent claude" in (home / ".claude/settings.json").read_text()
    assert not (home / ".codex").exists()
    assert launcher().exists()
    assert "already" in dejavu("init", "--yes").out


def test_a_dry_run_shows_and_changes_nothing(dejavu: Callable[..., Any], home: Path) -> None:
    done = dejavu("init", "codex", "--dry-run")
    assert done.code == 0
    assert "[mcp_servers.dejavu]" not in done.out
    assert "--diff shows every line" in done.err
    assert "[mcp_servers.dejavu]" in dejavu("init", "codex", "--dry-run", "--diff").out
    assert not list(home.iterdir())


def test_what_is_read_and_written_is_summed_up(dejavu: Callable[..., Any], home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text("{}")
    told = dejavu("init", "claude", "--dry-run").out
    assert f"reads   claude: {home}/.claude" in told
    assert f"writes  {home}/.claude/settings.json (hooks, your entries stay as they are)" in told
    assert f"writes  {home}/.claude.json (MCP server)" in told
    (gains,) = (line for line in told.splitlines() if line.startswith("gains"))
    assert gains.endswith("skill (not guard, assist: add --guard, --assist)")
    told = dejavu("init", "claude", "--guard", "--dry-run").out
    assert "skill, guard (not assist: add --assist)" in told


def test_nobody_to_ask_is_no_yes(dejavu: Callable[..., Any], home: Path) -> None:
    done = dejavu("init", "codex")
    assert done.code == 2
    assert "--yes" in done.err
    assert not list(home.iterdir())


def test_codex_must_be_approved_and_it_says_so(dejavu: Callable[..., Any], home: Path) -> None:
    assert "/hooks" in dejavu("init", "codex", "--yes").err


def test_an_unknown_agent_is_a_usage_error(dejavu: Callable[..., Any]) -> None:
    assert dejavu("init", "nobody").code == 2


def test_no_agent_is_said(dejavu: Callable[..., Any]) -> None:
    done = dejavu("init", "--yes")
    assert done.code == 1
    assert "no agent found" in done.err


def test_a_file_that_cannot_be_read_is_named(dejavu: Callable[..., Any], home: Path) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").write_text('{"a": ')
    done = dejavu("init", "gemini", "claude", "--yes")
    assert done.code == 1
    assert "settings.json: not JSON at line 1" in done.err
    assert (home / ".gemini/settings.json").read_text() == '{"a": '
    assert (home / ".claude/settings.json").exists()


def test_a_guard_is_asked_for_kept_and_taken_out(dejavu: Callable[..., Any], home: Path) -> None:
    (home / ".claude").mkdir()
    settings = home / ".claude/settings.json"
    before = '{ "model": "x",  "hooks": {"PostToolUse": []} }'
    settings.write_text(before)
    assert dejavu("init", "claude", "--yes").code == 0
    assert "hook guard" not in settings.read_text()
    done = dejavu("init", "claude", "--guard", "--yes")
    assert "the output of commands that fail" in done.err
    guarded = settings.read_text()
    assert guarded.count('hook guard --agent claude"') == 1
    assert dejavu("init", "claude", "--yes").code == 0
    assert dejavu("upgrade").code == 0
    assert settings.read_text() == guarded
    dejavu("init", "claude", "--guard", "--fail-open", "--yes")
    assert "hook guard --agent claude --fail-open" in settings.read_text()
    dejavu("init", "claude", "--no-guard", "--yes")
    assert "hook guard" not in settings.read_text()
    dejavu("init", "claude", "--guard", "--yes")
    assert dejavu("uninstall", "claude").code == 0
    assert settings.read_text() == before


def test_who_cannot_be_guarded_is_named(dejavu: Callable[..., Any], home: Path) -> None:
    done = dejavu("init", "kimi", "--guard", "--yes")
    assert "kimi: not guarded" in done.err
    assert dejavu("init", "kimi", "--fail-open").code == 2


def test_the_diff_keeps_indentation_and_says_where_no_newline_is(
    dejavu: Callable[..., Any], home: Path
) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{\n  "model": {\n    "name": "opus"\n  }\n}')
    assert "opus" not in (told := dejavu("init", "claude", "--list").out)
    assert "memory" in told
    rows = dejavu("init", "claude", "--dry-run", "--diff").out.splitlines()
    assert '     "name": "opus"' in rows
    assert "\\ No newline at end of file" in rows


def test_assistance_is_asked_for_kept_and_taken_out(dejavu: Callable[..., Any], home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    dejavu("init", "claude", "--yes")
    assert "hook assist" not in settings.read_text()
    dejavu("init", "claude", "--assist", "--yes")
    assert settings.read_text().count("hook assist --agent claude") == 3
    dejavu("init", "claude", "--yes")
    assert settings.read_text().count("hook assist --agent claude") == 3
    dejavu("init", "claude", "--no-assist", "--yes")
    assert "hook assist" not in settings.read_text()
    assert "kimi: not assisted" in dejavu("init", "kimi", "--assist", "--yes").err
    assert "gemini: assisted, but" in dejavu("init", "gemini", "--assist", "--yes").err
    dejavu("init", "claude", "--assist", "--yes")
    dejavu("uninstall")
    assert "hook assist" not in (settings.read_text() if settings.exists() else "")


def test_agents_that_are_left_alone_are_named_with_the_reason(
    dejavu: Callable[..., Any], home: Path
) -> None:
    (home / ".claude").mkdir()
    (home / ".dsh/sessions").mkdir(parents=True)
    (home / ".local/share/opencode/storage").mkdir(parents=True)
    told = dejavu("init", "--dry-run").err
    assert "left alone: dsh: nothing can be registered with it" in told
    assert "left alone: opencode: its settings folder" in told
    assert "left alone: claude" not in told
    assert "left alone" not in dejavu("init", "claude", "--dry-run").err


def test_a_file_that_could_not_be_written_is_named_once(
    dejavu: Callable[..., Any], home: Path
) -> None:
    (home / ".claude").mkdir()
    launcher().parent.mkdir(parents=True)
    dejavu("init", "claude", "--yes")
    dejavu("uninstall")
    with largest_file(1024):
        done = dejavu("init", "claude", "--yes")
    assert done.code == 1
    assert "Errno" not in done.err
    assert f"{launcher()}: " in done.err or f"not changed: {home}/.claude" in done.err


def test_a_summary_comes_first_and_the_lines_on_request(
    dejavu: Callable[..., Any], home: Path
) -> None:
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    told = dejavu("init", "claude", "--yes").out
    assert "gains   claude: capture, memory, mcp, skill (not guard, assist" in told
    assert "UserPromptSubmit" not in told
    told = dejavu("init", "codex", "--yes", "--diff").out
    assert told.index("gains   codex") < told.index("[mcp_servers.dejavu]")


def test_the_list_says_what_each_agent_can_be_wired_for(
    dejavu: Callable[..., Any], home: Path
) -> None:
    (home / ".cursor").mkdir()
    dejavu("init", "cursor", "--yes")
    rows = {
        row["name"]: row for row in json.loads(dejavu("init", "--list", "--json").out)["agents"]
    }
    assert len(rows) >= 30
    assert rows["cursor"]["installed"] is rows["cursor"]["registered"] is True
    assert rows["goose"] == {
        "name": "goose", "installed": False, "registered": False, "can": ["mcp"],
    }  # fmt: skip
    assert all(row["can"] for row in rows.values())
    assert dejavu("init", "--json").code == 2
