"""Cursor's transcripts."""

from pathlib import Path
from typing import Any

from dejavu.providers import PROVIDERS, Home


def line(role: str, words: str) -> dict[str, Any]:
    return {"role": role, "message": {"content": [{"type": "text", "text": words}]}}


def test_a_query_is_what_was_typed(parse: Any) -> None:
    book, _ = parse(
        "cursor", [line("user", "<user_query>\ngo\n</user_query>"), line("user", "bare")]
    )
    assert [turn.text for turn in book.turns["native"]] == ["go", "bare"]


def test_the_folder_is_found_where_its_name_leads_to_one(tmp_path: Path, read_home: Any) -> None:
    project = tmp_path / "my-pond"
    project.mkdir()
    encoded = str(project)[1:].replace("/", "-")
    folder = tmp_path / ".cursor" / "projects" / encoded / "agent-transcripts"
    folder.mkdir(parents=True)
    (folder / "c.jsonl").write_text('{"role": "user", "message": {"content": "go"}}\n')
    (source,) = PROVIDERS["cursor"].discover(Home(tmp_path, {}))
    assert source.native_id == "c"
    assert read_home("cursor", tmp_path).heads["c"].workspace in (str(project), "")
