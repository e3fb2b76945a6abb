from pathlib import Path

import pytest
from tests.interfaces.tui.driving import long

from dejavu.interfaces.tui.export import write


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
