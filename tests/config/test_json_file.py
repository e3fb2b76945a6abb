"""JSON files hold an object, or are read as empty."""

from pathlib import Path

import pytest

from dejavu.config.files import read_json, write_json


def test_an_object_comes_back_with_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    value = {"path": b"caf\xe9".decode("utf-8", "surrogateescape"), "n": 1}
    write_json(tmp_path / "x.json", value)
    assert read_json(tmp_path / "x.json") == value


@pytest.mark.parametrize("text", ["", "[]", "{", "null"])
def test_anything_else_is_empty(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    assert read_json(tmp_path / "x.json") == {}
    assert read_json(tmp_path / "missing.json") == {}
