from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.factories.archive import Result
from tests.ingest.test_stream import STREAM


def test_a_file_of_a_stream(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(STREAM)
    words = (str(path), "--agent", "claude", "--prompt", "q", "--json")
    done = dejavu("import", *words).json
    assert dejavu("show", done["conversations"][0], "--json").json["vectors"] == ["stream"]
    assert dejavu("ingest", *words).json["conversations"] == done["conversations"]  # the old name


def test_import_takes_a_stream_from_stdin(
    dejavu: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(STREAM)
    with path.open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        done = dejavu("import", "-", "--agent", "claude", "--prompt", "q", "--json").json
    assert dejavu("show", done["conversations"][0], "--json").json["vectors"] == ["stream"]
    two = dejavu("import", str(path), str(path), "--agent", "claude")
    assert (two.code, "takes one FILE" in two.err) == (2, True)
    alone = dejavu("import", str(path), "--prompt", "q")
    assert (alone.code, "go with --agent" in alone.err) == (2, True)


def test_usage_and_other_text(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("Hello!\n")
    assert dejavu("import", "-").code == 2
    assert dejavu("import", str(tmp_path / "nowhere"), "--agent", "claude").code == 2
    refused = dejavu("import", str(path), "--agent", "claude")
    assert refused.code == 1
    assert "Hello" in refused.err


def test_only_servers_of_this_machine_are_followed(dejavu: Callable[..., Result]) -> None:
    refused = dejavu("import", "-", "--agent", "opencode", "--from", "http://example.org:4096")
    assert refused.code != 0
    assert "on this machine" in refused.err
    assert dejavu("import", "-", "--agent", "claude", "--from", "http://127.0.0.1:1").code == 2


def test_what_is_no_file_is_named_by_what_it_is(dejavu: Callable[..., Any], tmp_path: Path) -> None:
    assert f"{tmp_path} is a folder" in dejavu("import", "-a", "claude", str(tmp_path)).err
    assert "no such file" in dejavu("import", "-a", "claude", str(tmp_path / "x")).err
    assert "it is empty" in dejavu("import", "-a", "claude", "/dev/null").err
    assert f"{tmp_path} is a folder" in dejavu("redact", str(tmp_path)).err
    assert f"{tmp_path} is a folder" in dejavu("explain", str(tmp_path)).err
    assert dejavu("redact", "/dev/null").code == 0
