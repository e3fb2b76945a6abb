"""`dejavu import`: what is not whole is said."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result


def _export(count: int) -> str:
    def node(number: int) -> dict[str, object]:
        content = {"content_type": "text", "parts": [f"hello number {number}"]}
        message = {"author": {"role": "user"}, "create_time": 1_760_000_000, "content": content}
        return {"id": "a", "message": message, "parent": None, "children": []}

    return json.dumps(
        [{"id": f"c{n}", "title": f"T{n}", "mapping": {"a": node(n)}} for n in range(count)]
    )


def test_an_export_that_was_cut_is_read_as_far_as_it_goes_and_said(
    dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    text = _export(2)
    (tmp_path / "cut.json").write_text(text[: len(text) // 2 + 60])
    result = dejavu("import", str(tmp_path / "cut.json"))
    assert (result.code, "1 conversation" in result.out) == (1, True)
    assert "may be cut short" in result.err
    (tmp_path / "whole.json").write_text(text)
    result = dejavu("import", str(tmp_path / "whole.json"))
    assert (result.code, "2 conversations" in result.out) == (0, True)


def test_a_file_without_a_conversation_is_said(
    dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes.md").write_text("# just notes\n")
    result = dejavu("import", str(tmp_path / "notes.md"))
    assert (result.code, "no conversation" in result.err) == (1, True)
