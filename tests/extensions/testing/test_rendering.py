from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.extensions.testing import Screen
from dejavu.extensions.testing.golden import Goldens
from dejavu.extensions.testing.rendering import Rendering, describe, parse_style
from dejavu.extensions.testing.strategies import streams
from dejavu.model import ConfigError
from dejavu.screen import Style, Terminal

_COLORS = st.one_of(st.none(), st.integers(0, 255), st.just("#10fe00"))
_STYLES = st.builds(
    Style, fg=_COLORS, bg=_COLORS, underline_color=_COLORS, bold=st.booleans(), dim=st.booleans(),
    italic=st.booleans(), underline=st.integers(0, 5), strike=st.booleans(), inverse=st.booleans(),
    blink=st.booleans(), invisible=st.booleans(), overline=st.booleans(),
    link=st.sampled_from([None, "https://example.org/?a=b"]),
)  # fmt: skip


def drawn(data: bytes, columns: int = 20, lines: int = 5) -> Screen:
    terminal = Terminal(columns, lines)
    terminal.feed(data)
    return Screen(terminal.snapshot(), terminal.history)


@given(_STYLES)
def test_a_style_in_words_is_read_back(style: Style) -> None:
    assert parse_style(describe(style)) == style


@given(data=streams())
def test_what_is_written_is_read_back(
    data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rendering = Rendering.of(drawn(data))
    goldens = Goldens(tmp_path_factory.mktemp("golden"))
    folder = goldens.folder("case")
    goldens.write(folder, rendering)
    assert goldens.read(folder) == rendering


@given(data=streams())
def test_a_picture_shows_the_same_text(data: bytes) -> None:
    """But for what Unicode alone does not tell: cells that share marks, wide characters cut."""
    rendering = Rendering.of(drawn(data))
    picture = Rendering.of(Screen(rendering.snapshot()))
    if "".join(rendering.rows).isascii():
        assert picture.rows == rendering.rows
        links = [[word.split(" link=")[0] for word in row] for row in rendering.styles]
        if "link=" not in str(links):
            assert [list(row) for row in picture.styles] == links


def test_files_are_for_people() -> None:
    rendering = Rendering.of(drawn(b'\x1b[1;31mred\x1b[m, \x1b[4mline\r\n\x1b]2;a "title"\x07'))
    files = rendering.files()
    assert files["screen.txt"] == "red, line\n\n\n\n\n"
    assert files["styles.txt"] == ".  plain\na  bold fg=1\nb  underline\n\naaa..bbbb\n\n\n\n\n"
    assert 'title = "a \\"title\\""' in files["case.toml"]


def test_ten_thousand_colours_have_a_letter_each() -> None:
    cells = "".join(f"\x1b[38;2;{n % 250};{n // 250};0mx" for n in range(10_000))
    rendering = Rendering.of(drawn(cells.encode(), 100, 100))
    legend = rendering.files()["styles.txt"].partition("\n\n")[0].split("\n")
    assert len({line[0] for line in legend}) == len(legend) == 10_001


@pytest.mark.parametrize(
    ("name", "text"), [("case.toml", "size = "), ("styles.txt", ".  plain\n\nxx\n")]
)
def test_a_damaged_case_says_so(tmp_path: Path, name: str, text: str) -> None:
    goldens = Goldens(tmp_path)
    folder = goldens.folder("case")
    goldens.write(folder, Rendering.of(drawn(b"\x1b[1mx")))
    (folder / name).write_text(text)
    with pytest.raises(ConfigError, match="--golden-update"):
        goldens.read(folder)
