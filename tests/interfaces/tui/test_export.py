from pathlib import Path

import pytest
from tests.factories.archive import conversation
from tests.interfaces.tui.driving import long

from dejavu.interfaces.tui.export import write, write_all


def test_a_file_that_is_there_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    write(path, long(4))
    with pytest.raises(FileExistsError):
        write(path, long(8))
    assert "Answer **number 3**" in path.read_text()


def test_the_ending_says_the_form(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\.md or \.html"):
        write(tmp_path / "a.doc", long(4))
    assert list(tmp_path.iterdir()) == []


def test_each_selected_conversation_is_a_file(tmp_path: Path) -> None:
    several = [long(4), conversation("two", "claude", "/work/two", 0.0)]
    with pytest.raises(ValueError, match=r"\*\.md or \*\.html"):
        write_all(tmp_path / "out" / "*", several)
    count, _ = write_all(tmp_path / "out" / "*.html", several)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert (count, names) == (2, {f"{one.agent}-{one.id}.html" for one in several})
    with pytest.raises(FileExistsError):
        write_all(tmp_path / "out" / "*.html", several)
