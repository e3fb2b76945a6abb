"""The public registry of session formats: every fixture is imported, kept raw, and imported once."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from dejavu.archive import Archive
from dejavu.ingest.sync import sync_homes
from dejavu.model import Role
from dejavu.providers import Home

pytestmark = pytest.mark.shared

PLACES: dict[str, tuple[str, str, int, int]] = {
    "aider": (".aider.chat.history.md", "work/.aider.chat.history.md", 1, 2),
    "antigravity": ("brain", ".gemini/antigravity-cli/brain", 1, 2),
    "claude-code": ("session.jsonl", ".claude/projects/-w/session.jsonl", 1, 2),
    "cline-legacy": ("tasks", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks", 1, 2),
    "cline-modern": ("sessions", ".cline/data/sessions", 1, 2),
    "codex": ("", ".codex/sessions/2026/07/17", 1, 2),
    "copilot": ("", ".copilot/session-state", 1, 2),
    "cursor": ("projects", ".cursor/projects", 1, 2),
    "deepseek": ("sessions", ".dsh/sessions", 1, 3),
    "gemini": ("session.jsonl", ".gemini/tmp/x/chats/session.jsonl", 1, 2),
    "gemini-set": ("session-set-snapshot.jsonl", ".gemini/tmp/x/chats/session-set.jsonl", 1, 2),
    "goose": ("sessions", ".local/share/goose/sessions", 2, 4),
    "grok": ("sessions", ".grok/sessions", 1, 2),
    "hermes": ("profiles", ".hermes/profiles", 2, 4),
    "kimi": ("sessions", ".kimi-code/sessions", 1, 4),
    "omp": ("session.jsonl", ".omp/agent/sessions/-w/session.jsonl", 1, 2),
    "openclaw": ("agents", ".openclaw/agents", 1, 2),
    "opencode": ("", ".local/share/opencode", 1, 2),
    "pi": ("session.jsonl", ".pi/agent/sessions/-w/session.jsonl", 1, 2),
    "qwen": ("projects", ".qwen/projects", 1, 2),
    "roo": ("tasks", ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks", 1, 2),
    "zed": ("zed.sql", ".local/share/zed/threads/zed.sql", 2, 4),
}
"""What is copied where; how many sessions, prompts and answers its format's page says are in it."""

FOLDERS = {"cline-legacy": "cline/legacy", "cline-modern": "cline/modern", "gemini-set": "gemini"}
DATABASES = {"goose.sql": "sessions.db", "hermes.sql": "state.db", "opencode.sql": "opencode.db",
             "zed.sql": "threads.db"}  # fmt: skip


def placed(shared: Path, name: str, home: Path) -> Path:
    """A home that holds the fixture where its agent keeps its sessions."""
    inside, place, *_ = PLACES[name]
    source = shared / "data" / "registry" / "fixtures" / FOLDERS.get(name, name) / inside
    target = home / place
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)
    for script in home.rglob("*.sql"):
        with sqlite3.connect(script.with_name(DATABASES[script.name])) as connection:
            connection.executescript(script.read_text("utf-8"))
        connection.close()
        script.chmod(0o600)
        script.unlink()
    return home


@pytest.mark.parametrize("name", PLACES)
def test_every_fixture_is_imported_as_its_page_says(
    name: str, shared: Path, tmp_path: Path
) -> None:
    home = placed(shared, name, tmp_path / "home")
    *_, sessions, messages = PLACES[name]
    with Archive.open(tmp_path / "archive") as archive:
        report = sync_homes(archive, [Home(home, {})])
        assert report.unreadable == []
        conversations = [archive.get(summary.id) for summary in archive.scan()]
        said = [
            turn
            for conversation in conversations
            for turn in conversation.turns
            if turn.role in (Role.USER, Role.ASSISTANT) and turn.text
        ]
        assert (len(conversations), len(said)) == (sessions, messages)
        raw = [b"".join(archive.sources.raw(key)) for key in archive.sources.all_keys()]
        files = [path for path in home.rglob("*") if path.suffix in (".jsonl", ".md")]
        kept = [path for path in files if "checkpoint" not in path.name]
        assert all(path.read_bytes() in raw for path in kept)
        assert sync_homes(archive, [Home(home, {})]).bytes == 0
        assert [archive.get(summary.id).turns for summary in archive.scan()] == [
            conversation.turns for conversation in conversations
        ]
