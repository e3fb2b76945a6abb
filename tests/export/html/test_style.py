import re

import pytest

from dejavu.export.highlight import KINDS
from dejavu.export.html.style import STYLE


def test_nothing_is_fetched_and_nothing_can_close_the_element() -> None:
    assert not re.search(r"url\(|@import|expression|</", STYLE)


def test_every_colour_has_a_light_and_a_dark_value() -> None:
    light, dark = (
        set(re.findall(r"--[\w-]+(?=:)", block))
        for block in re.findall(r":root\{([^}]*)\}", STYLE)[:2]
    )
    assert light - dark == {"--mono"}
    assert set(re.findall(r"var\((--[\w-]+)\)", STYLE)) <= light


def test_braces_balance() -> None:
    assert STYLE.count("{") == STYLE.count("}")


def variables() -> list[dict[str, str]]:
    """Colours by their names: the light ones, the dark ones."""
    return [
        dict(re.findall(r"--([\w-]+):(#[0-9a-f]{3,6})", block))
        for block in re.findall(r":root\{([^}]*)\}", STYLE)[:2]
    ]


def luminance(colour: str) -> float:
    digits = colour.lstrip("#")
    digits = "".join(digit * 2 for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("ground", ["card", "paper"])  # of code in answers, and in prompts
@pytest.mark.parametrize("kind", KINDS)
def test_the_colours_of_code_can_be_read(kind: str, ground: str) -> None:
    """WCAG 2.2, 1.4.3."""
    for theme in variables():
        low, high = sorted((luminance(theme[kind]), luminance(theme[ground])))
        assert (high + 0.05) / (low + 0.05) >= 4.5
    assert f".c-{kind}{{color:var(--{kind})" in STYLE
