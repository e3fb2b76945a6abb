"""Real agents' traces beside the repo: the truth word for word, and every format's oddities."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks.providers import truth

from dejavu.providers import PROVIDERS, Home, Kind, Source

pytestmark = pytest.mark.shared

# What stands below data/sessions: a piece of the path, whose it is, how its files end.
FORMATS = [
    ("testdata/claude", "claude", ".jsonl"),
    ("claude-code-log", "claude", ".jsonl"),
    ("claude-code-transcripts", "claude", ".jsonl"),
    ("fixtures/claude", "claude", ".jsonl"),
    ("synthetic/claude", "claude", ".jsonl"),
    ("registry/claude-code", "claude", ".jsonl"),
    ("testdata/codex", "codex", ".jsonl"),
    ("codex/sessions", "codex", ".jsonl"),
    ("registry/codex", "codex", ".jsonl"),
    ("testdata/gemini", "gemini", ".json"),
    ("registry/gemini", "gemini", ".jsonl"),
    ("registry/antigravity", "antigravity", "transcript.jsonl"),
    ("registry/qwen", "qwen", ".jsonl"),
    ("registry/copilot", "copilot", "events.jsonl"),
    ("testdata/pi", "pi", ".jsonl"),
    ("registry/pi", "pi", ".jsonl"),
    ("cline/modern", "cline", "messages.json"),
    ("cline/legacy", "cline", "api_conversation_history.json"),
    ("registry/cursor", "cursor", ".jsonl"),
    ("aider", "aider", ".md"),
    ("apps/vis", "kimi", "wire.jsonl"),
    ("registry/kimi", "kimi", "wire.jsonl"),
    ("migration-legacy", "kimi-cli", "context.jsonl"),
    ("migration-legacy", "kimi-cli", "wire.jsonl"),
    ("fixtures/kimi", "kimi-cli", "context.jsonl"),
    ("fixtures/kimi", "kimi-cli", "wire.jsonl"),
]
PROMPTLESS = {("fixtures/claude", ".jsonl"), ("fixtures/kimi", "wire.jsonl")}


def test_everything_that_happened_is_read_word_for_word(shared: Path) -> None:
    runs = list(truth.runs(shared / "data" / "recordings", None))
    assert {agent for agent, _ in runs} >= {"claude", "codex", "kimi", "opencode", "gemini", "amp"}
    for agent, folder in runs:
        row = truth.measured(agent, folder)
        assert {name: row[name] for name in truth.FAULTS if row.get(name)} == {}, folder
        assert row["want prompt"] > 0
        assert row["drift"] == {}, folder


@pytest.mark.parametrize(("piece", "agent", "ending"), FORMATS)
def test_every_session_file_reads(
    piece: str, agent: str, ending: str, shared: Path, make_book: Callable[[], Any]
) -> None:
    root = shared / "data" / "sessions"
    files = [p for p in sorted(root.rglob(f"*{ending}")) if piece in str(p.relative_to(root))]
    assert files
    prompts = 0
    for path in files:
        kind = Kind.WHOLE if path.suffix == ".json" else Kind.APPEND
        source = Source(agent, path, "test", kind, path.name)
        provider, book = PROVIDERS[agent], make_book()
        parser = provider.parser(source)
        for delta in provider.follow(source):
            parser.feed(delta.data, delta.offset)
            book.take(parser)
        for turns in book.turns.values():
            natives = [t.native_id for t in turns if t.native_id and t.role == "user"]
            assert len(natives) == len(set(natives)), path
            prompts += sum(turn.role == "user" and bool(turn.parts) for turn in turns)
    assert prompts or (piece, ending) in PROMPTLESS


def test_a_registry_database_of_opencode(shared: Path, tmp_path: Path, read_home: Any) -> None:
    import sqlite3

    (script,) = (shared / "data" / "sessions").rglob("opencode/opencode.sql")
    root = tmp_path / ".local" / "share" / "opencode"
    root.mkdir(parents=True)
    connection = sqlite3.connect(root / "opencode.db")
    connection.executescript(script.read_text("utf-8"))
    connection.close()
    (turns,) = read_home("opencode", tmp_path).turns.values()
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "inspect the sqlite fixture"),
        ("assistant", "the sqlite rows are readable"),
    ]


def test_homes_in_a_container_are_another_instance(shared: Path) -> None:
    home = next(iter(sorted((shared / "data" / "recordings" / "claude").glob("tour-*/native"))))
    keys = {
        source.key
        for instance in ("one", "two")
        for source in PROVIDERS["claude"].discover(Home(home, {}, instance))
    }
    assert len(keys) >= 2
