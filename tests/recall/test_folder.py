"""The library: the examples of the guide run as they stand, and errors are those it lists."""

import re
from pathlib import Path

import pytest

from dejavu.model import NotFoundError
from dejavu.recall import create_memory, open_folder

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "python.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_examples_run(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    if "embed_pending" in EXAMPLES[number]:
        pytest.importorskip("numpy")
    exec(compile(EXAMPLES[number], str(GUIDE), "exec"), {})


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 4


def test_errors(tmp_path: Path) -> None:
    with create_memory(tmp_path / "m") as memory:
        with pytest.raises(ValueError, match="empty"):
            memory.remember("  ")
        with pytest.raises(NotFoundError):
            memory.get("nothing")
        assert not memory.confirm("nothing")
    with open_folder(tmp_path / "m", without=["embedding"]) as opened:
        assert opened.recall.search("anything") == []
