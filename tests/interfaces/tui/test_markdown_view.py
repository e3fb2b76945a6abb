"""Agents' markdown as a quiet page; skipped where the library is missing."""

import io

from rich.console import Console
from rich.theme import Theme
from tests.interfaces.tui.driving import SIZES  # skips without Textual

from dejavu.export.highlight import KINDS
from dejavu.interfaces.tui.markdown_view import QuietMarkdown


def _rendered(text: str, columns: int) -> str:
    theme = Theme({f"code.{kind}": "none" for kind in KINDS})
    console = Console(file=io.StringIO(), width=columns, color_system=None, theme=theme)
    with console.capture() as captured:
        console.print(QuietMarkdown(text))
    return captured.get()


def test_headings_stand_alone_and_code_is_indented() -> None:
    out = _rendered("# Ring\n\n```python\nx = 1\n```\n", SIZES[0][0])
    assert out.splitlines()[0].rstrip() == "Ring"
    assert any(line.rstrip() == "  x = 1" for line in out.splitlines())
    assert "┏" not in out


def test_nothing_is_lost_at_any_width() -> None:
    words = "one two three four five six seven eight nine ten"
    for columns in (20, 80, 200):
        assert _rendered(words, columns).split() == words.split()
