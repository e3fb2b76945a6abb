"""Claude Code end to end: following a session while it grows, and the recordings of real ones."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dejavu.providers import PROVIDERS, Home


def test_appends_cost_what_was_appended(
    data: Path, tmp_path: Path, make_book: Callable[[], Any]
) -> None:
    provider = PROVIDERS["claude"]
    shutil.copytree(data / "claude", tmp_path, dirs_exist_ok=True)
    path = next((tmp_path / ".claude" / "projects" / "-work-pond").glob("1111*.jsonl"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]))
    (source,) = (s for s in provider.discover(Home(tmp_path, {}, "test")) if s.path == path)
    book, cursor, state, told = make_book(), None, None, []
    for count in range(4, len(lines) + 1):
        path.write_bytes(b"".join(lines[:count]))
        for delta in provider.follow(source, cursor):
            parser = provider.parser(source, state)
            parser.feed(delta.data, delta.offset)
            told.append(book.take(parser))
            cursor, state = delta.cursor, parser.state()
    expected = (data / "claude" / "expected.txt").read_text("utf-8")
    main = "\n".join(book.shown()).splitlines()[:15]
    assert main[0].startswith("# 1111")
    assert all(line in expected.splitlines() for line in main)
    assert max(told[1:]) <= 2


@pytest.mark.shared
def test_the_recordings_hold_their_prompts(shared: Path, read_home: Any) -> None:
    homes = sorted((shared / "data" / "recordings").glob("claude*/tour-120x40/native"))
    assert homes
    for home in homes:
        (turns,) = read_home("claude", home).turns.values()
        prompts = [turn.text for turn in turns if turn.role == "user"]
        assert len(prompts) == 7
        assert prompts[-1] == "Are you still there?"
