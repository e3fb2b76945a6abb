import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.screen import Style
from dejavu.screen.attributes import DEFAULT, LIMIT, Palette, number, parse_sgr


def _style(run: str, before: str = "\x1b[m") -> Style:
    keep, bits = parse_sgr(before + run)
    palette = Palette()
    return palette.style(palette.intern(0 & keep | bits))


@pytest.mark.parametrize(
    ("run", "style"),
    [
        ("\x1b[1;2;3m", Style(bold=True, dim=True, italic=True)),
        ("\x1b[1m\x1b[22m", Style()),
        ("\x1b[4:3m", Style(underline=3)),
        ("\x1b[4:9m", Style()),
        ("\x1b[21m", Style(underline=2)),
        ("\x1b[31;105m", Style(fg=1, bg=13)),
        ("\x1b[38;5;208;7m", Style(fg=208, inverse=True)),
        ("\x1b[38;2;1;2;3;48;2;255;0;16m", Style(fg="#010203", bg="#ff0010")),
        ("\x1b[38:2::1:2:3;1m", Style(fg="#010203", bold=True)),
        ("\x1b[38:2:1:2:3m", Style(fg="#010203")),
        ("\x1b[48:5:22m", Style(bg=22)),
        ("\x1b[58;2;9;9;9;4m", Style(underline_color="#090909", underline=1)),
        ("\x1b[58:5:1m\x1b[59m", Style()),
        ("\x1b[38;5m", Style()),
        ("\x1b[38;5;256;1m", Style(bold=True)),
        ("\x1b[38;2;1;2m", Style()),
        ("\x1b[;1;m", Style()),
        ("\x1b[9;8;5;53m", Style(strike=True, invisible=True, blink=True, overline=True)),
        ("\x1b[99999999999999999999;1m", Style(bold=True)),
        ("\x1b[>4;2m", Style()),
        ("\x1b[?1m", Style()),
    ],
)
def test_sgr(run: str, style: Style) -> None:
    assert _style(run) == style


def test_a_run_is_the_same_as_its_sequences_one_by_one() -> None:
    runs = ["\x1b[1;31m", "\x1b[0;4m", "\x1b[48;5;7m", "\x1b[24m", "\x1b[39m"]
    style = 0
    for run in runs:
        keep, bits = parse_sgr(run)
        style = style & keep | bits
    keep, bits = parse_sgr("".join(runs))
    assert style == 0 & keep | bits


@given(st.text("0123456789;:", max_size=60))
def test_any_parameters_are_read(parameters: str) -> None:
    keep, bits = parse_sgr(f"\x1b[{parameters}m")
    palette = Palette()
    style = 0 & keep | bits
    assert palette.style(palette.intern(style))
    keep, bits = parse_sgr(f"\x1b[{palette.sgr(style)}m")
    assert 0 & keep | bits == style, "sgr() writes the style parse_sgr() read"


def test_parameters_are_of_16_bits() -> None:
    assert [number(text) for text in ("", "0", "65535", "65536", "000000012", "9" * 5000)] == [
        0,
        0,
        65535,
        65535,
        12,
        65535,
    ]


def test_links_are_part_of_a_style_and_bounded() -> None:
    palette = Palette()
    field = palette.link("https://example.org")
    assert field == palette.link("https://example.org")
    assert palette.style(palette.intern(field)).link == "https://example.org"
    assert palette.link("x" * 3000) == palette.link("") == 0


def test_a_crowded_palette_keeps_what_is_used() -> None:
    palette = Palette()
    for style in range(1, LIMIT + 2):
        palette.intern(style)
    assert palette.nearly_full
    used = palette.intern(7)
    link = palette.intern(palette.link("https://example.org"))
    kept = palette.retain({used, link})
    assert not kept.nearly_full
    assert kept.styles[used] == 7
    assert kept.style(link).link == "https://example.org"
    fresh = kept.intern(1 << 20)
    assert fresh not in (DEFAULT, used, link)
    assert palette.styles[used] == 7, "old snapshots keep the old palette"
