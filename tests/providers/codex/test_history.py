"""Threads that only Codex's database still has."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dejavu.providers import PROVIDERS, Home, Kind


def database(home: Path, rows: list[tuple[str, int, dict[str, Any]]]) -> None:
    (home / ".codex").mkdir(exist_ok=True)
    connection = sqlite3.connect(home / ".codex" / "thread_history_1.sqlite")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS thread_items (thread_id TEXT, turn_id TEXT, item_id TEXT,"
        " rollout_ordinal INTEGER, created_at_ms INTEGER, item_type TEXT, item_json TEXT)"
    )
    for thread, ordinal, item in rows:
        row = (thread, "t", item["id"], ordinal, ordinal * 1000, item["type"], json.dumps(item))
        connection.execute("INSERT INTO thread_items VALUES (?,?,?,?,?,?,?)", row)
    connection.commit()
    connection.close()


ROWS: list[tuple[str, int, dict[str, Any]]] = [
    ("a", 1, {"id": "i1", "type": "userMessage", "content": [{"type": "text", "text": "go"}]}),
    ("a", 2, {"id": "i2", "type": "reasoning", "summary": ["hm"], "content": []}),
    (
        "a",
        3,
        {
            "id": "i3",
            "type": "commandExecution",
            "command": "ls",
            "aggregatedOutput": "7",
            "exitCode": 0,
        },
    ),
    ("a", 4, {"id": "i4", "type": "agentMessage", "text": "gone"}),
    ("b", 1, {"id": "j1", "type": "userMessage", "content": [{"type": "text", "text": "other"}]}),
]


def test_reads_threads_without_a_rollout_and_what_comes_later(
    tmp_path: Path, make_book: Callable[[], Any]
) -> None:
    provider, book = PROVIDERS["codex"], make_book()
    database(tmp_path, ROWS)
    rollout = tmp_path / ".codex" / "sessions" / "rollout-2026-03-01T10-00-00-b.jsonl"
    rollout.parent.mkdir()
    rollout.write_text("{}\n")
    sources = {source.native_id: source for source in provider.discover(Home(tmp_path, {}, "test"))}
    assert sources["a"].kind is Kind.DATABASE
    parser = provider.parser(sources["a"])
    deltas = list(provider.follow(sources["a"]))
    for delta in deltas:
        parser.feed(delta.data, delta.offset)
    book.take(parser)
    assert [(turn.role, len(turn.parts)) for turn in book.turns["a"]] == [
        ("user", 1),
        ("assistant", 2),
        ("tool", 1),
        ("assistant", 1),
    ]
    assert list(provider.follow(sources["a"], deltas[-1].cursor)) == []
    database(tmp_path, [("a", 5, {"id": "i5", "type": "agentMessage", "text": "again"})])
    (delta,) = provider.follow(sources["a"], deltas[-1].cursor)
    parser.feed(delta.data, delta.offset)
    book.take(parser)
    assert book.turns["a"][-1].text == "gone\n\nagain"


def test_a_database_of_another_shape_has_no_threads(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    connection = sqlite3.connect(tmp_path / ".codex" / "thread_history_1.sqlite")
    connection.execute("CREATE TABLE thread_items (thread_id TEXT)")
    connection.commit()
    connection.close()
    (tmp_path / ".codex" / "sqlite").mkdir()
    (tmp_path / ".codex" / "sqlite" / "thread_history_1.sqlite").write_bytes(b"no database")
    assert list(PROVIDERS["codex"].discover(Home(tmp_path, {}))) == []
