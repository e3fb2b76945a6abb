import re

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
