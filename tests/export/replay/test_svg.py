import xml.etree.ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.export.replay.animation import AnimationFrame
from dejavu.export.replay.svg import as_svg
from dejavu.screen import Terminal

_SVG = "{http://www.w3.org/2000/svg}"


def _shots(*screens: bytes, columns: int = 20, lines: int = 3) -> list[AnimationFrame]:
    pictures = []
    for screen in screens:
        terminal = Terminal(columns, lines)
        terminal.feed(screen)
        pictures.append(AnimationFrame(terminal.snapshot(), 1.0))
    return pictures


def _drawn(*pictures: AnimationFrame) -> ET.Element:
    return ET.fromstring("".join(as_svg(pictures, 'A "<film>"')))


def _texts(drawn: ET.Element) -> list[str]:
    return [text.text or "" for text in drawn.iter(f"{_SVG}text")]


def test_text_stays_text_with_its_looks() -> None:
    drawn = _drawn(*_shots(b"\x1b[1;4mbold\x1b[0m <b>&amp;"))
    bold, plain = drawn.iter(f"{_SVG}text")
    assert (bold.text, bold.get("font-weight")) == ("bold", "bold")
    assert bold.get("text-decoration") == "underline"
    assert plain.text == "<b>&amp;"
    assert drawn.get("aria-label") == 'A "<film>"'


def test_rows_that_come_again_are_drawn_once() -> None:
    drawn = _drawn(*_shots(b"same\r\none", b"same\r\ntwo"))
    assert _texts(drawn) == ["same", "one", "two"]
    used = [use.get("href") for use in drawn.iter(f"{_SVG}use")]
    assert used == ["#r0", "#r1", "#r0", "#r2"]


def test_one_picture_does_not_move_and_a_film_rests_for_who_asks() -> None:
    assert "animation" not in "".join(as_svg(_shots(b"a"), ""))
    film = "".join(as_svg(_shots(b"a", b"b", b"c"), ""))
    assert "animation:film 3.00s step-end infinite" in film
    assert "prefers-reduced-motion" in film


def test_nothing_is_still_a_picture() -> None:
    assert _drawn().get("viewBox")


@settings(max_examples=60)
@given(st.binary(max_size=300))
def test_whatever_was_drawn_is_well_formed_and_only_drawn(data: bytes) -> None:
    drawn = _drawn(*_shots(data, b"end"))
    names = {element.tag.removeprefix(_SVG) for element in drawn.iter()}
    assert names <= {"svg", "style", "rect", "defs", "g", "use", "text"}
    assert all(value.startswith("#r") for e in drawn.iter() if (value := e.get("href")) is not None)
