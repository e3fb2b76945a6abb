"""Amp's threads."""

import json
from pathlib import Path
from typing import Any

import pytest

from dejavu.providers import PROVIDERS, Home, Kind


def test_honours_the_folder_variable(tmp_path: Path) -> None:
    path = tmp_path / "amp" / "threads" / "T-1.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    (source,) = PROVIDERS["amp"].discover(
        Home(Path("/nobody"), {"AMP_DATA_DIR": str(tmp_path / "amp")})
    )
    assert (source.native_id, source.kind) == ("T-1", Kind.WHOLE)
    assert list(PROVIDERS["amp"].discover(Home(Path("/nobody"), {"XDG_DATA_HOME": str(tmp_path)})))


@pytest.mark.parametrize(
    ("run", "response", "failed"),
    [
        ({"status": "done", "result": {"output": "7\n", "exitCode": 0}}, "7\n", False),
        ({"status": "done", "result": "text"}, "text", False),
        ({"status": "done", "result": {"files": ["a"]}}, {"files": ["a"]}, False),
        ({"status": "error", "error": {"message": "no"}}, "no", True),
        ({"status": "rejected-by-user"}, "rejected-by-user", True),
    ],
)
def test_results(run: Any, response: Any, failed: bool, parse: Any) -> None:
    content = [{"type": "tool_result", "toolUseID": "c", "run": run}]
    raw = json.dumps({"messages": [{"role": "user", "content": content}]}).encode()
    book, _ = parse("amp", raw, "T-1.json", kind=Kind.WHOLE)
    (part,) = book.turns["native"][0].parts
    assert (part.response, part.is_error) == (response, failed)


def test_a_rewritten_thread_gives_all_its_turns_again(parse: Any) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "go"}]}
    book, parser = parse(
        "amp", json.dumps({"messages": [message]}).encode(), "T-1.json", kind=Kind.WHOLE
    )
    parser.feed(json.dumps({"messages": [message, message]}).encode(), 0)
    book.take(parser)
    assert [turn.text for turn in book.turns["native"]] == ["go", "go"]
