"""Finding Codex's rollouts in all their forms, and following one while it is compressed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dejavu.providers import PROVIDERS, Home
from dejavu.providers.follow.compressed import zstd

ID = "019c0000-0000-7000-8000-000000000001"
LINES = [
    {
        "timestamp": "2026-03-01T10:00:00Z",
        "type": "session_meta",
        "payload": {"id": ID, "cwd": "/w"},
    },
    {
        "timestamp": "2026-03-01T10:00:01Z",
        "type": "event_msg",
        "payload": {"type": "user_message", "message": "one"},
    },
    {
        "timestamp": "2026-03-01T10:00:02Z",
        "type": "event_msg",
        "payload": {"type": "agent_message", "message": "two"},
    },
]


def rollout(home: Path, folder: str = "sessions/2026/03/01") -> Path:
    path = home / ".codex" / folder / f"rollout-2026-03-01T10-00-00-{ID}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return path


def test_goes_on_when_the_rollout_is_compressed_and_archived(
    tmp_path: Path, make_book: Callable[[], Any]
) -> None:
    provider, book = PROVIDERS["codex"], make_book()
    path = rollout(tmp_path)
    (source,) = provider.discover(Home(tmp_path, {}, "test"))
    deltas = list(provider.follow(source))
    parser = provider.parser(source)
    for delta in deltas:
        parser.feed(delta.data, delta.offset)
    book.take(parser)
    more = {"type": "event_msg", "payload": {"type": "user_message", "message": "three"}}
    packed = path.read_bytes() + json.dumps(more).encode() + b"\n"
    path.unlink()
    archived = tmp_path / ".codex" / "archived_sessions" / (path.name + ".zst")
    archived.parent.mkdir()
    archived.write_bytes(zstd.compress(packed))
    (again,) = provider.discover(Home(tmp_path, {}, "test"))
    assert again.key == source.key
    parser = provider.parser(again, parser.state())
    for delta in provider.follow(again, deltas[-1].cursor):
        assert not delta.reset
        parser.feed(delta.data, delta.offset)
    book.take(parser)
    assert [turn.text for turn in book.turns[ID]] == ["one", "two", "three"]


def test_the_plain_form_wins_over_the_compressed(tmp_path: Path) -> None:
    path = rollout(tmp_path)
    path.with_name(path.name + ".zst").write_bytes(zstd.compress(b"{}\n"))
    (source,) = PROVIDERS["codex"].discover(Home(tmp_path, {}))
    assert source.path == path
    path.rename(tmp_path / "elsewhere")
    assert b"".join(d.data for d in PROVIDERS["codex"].follow(source)) == b"{}\n"


def test_honours_the_folder_variable(tmp_path: Path) -> None:
    path = rollout(tmp_path)
    moved = Home(tmp_path / "nobody", {"CODEX_HOME": str(tmp_path / ".codex")})
    (source,) = PROVIDERS["codex"].discover(moved)
    assert source.path == path
