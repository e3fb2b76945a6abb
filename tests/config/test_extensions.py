"""Extensions are found by what they add, and the core starts without one of them."""

from pathlib import Path

import pytest

from dejavu.config import extensions


def test_parts_come_by_the_name_of_their_extension(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("zoo", "ant"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "export_formats.py").touch()
    (tmp_path / "bare").mkdir()
    monkeypatch.setattr(extensions, "FOLDER", tmp_path)
    asked: list[str] = []

    def note(module: str) -> str:
        asked.append(module)
        return module

    monkeypatch.setattr(extensions, "import_module", note)
    list(extensions.parts("export_formats"))
    assert asked == [
        "dejavu.extensions.ant.export_formats", "dejavu.extensions.zoo.export_formats",
    ]  # fmt: skip


def test_no_folder_of_extensions_is_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extensions, "FOLDER", tmp_path / "absent")
    assert list(extensions.parts("derived")) == []


@pytest.mark.parametrize("kind", ["derived", "export_formats", "tool_answers"])
def test_every_kind_that_is_asked_for_exists(kind: str) -> None:
    assert list(extensions.parts(kind))
