"""The contrast of every text role, computed from the colours that the running widgets resolve to."""

import pytest
from tests.interfaces.tui.driving import run
from textual.app import ComposeResult
from textual.color import Color

from dejavu.interfaces.tui.conversation_view import ConversationView
from dejavu.interfaces.tui.live import Live
from dejavu.interfaces.tui.search_box import SearchBox
from dejavu.interfaces.tui.theme import ThemedApp

LEAST = 4.5  # WCAG 2.2, 1.4.3, for text of any size


class Page(ThemedApp[None]):
    def compose(self) -> ComposeResult:
        yield SearchBox(None)
        yield Live(id="live")
        yield ConversationView(lambda *_: (), id="conversation")


def luminance(color: Color) -> float:
    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(part) for part in color.normalized)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_formula_is_wcags() -> None:
    assert contrast(Color.parse("#000"), Color.parse("#fff")) == pytest.approx(21)
    assert contrast(Color.parse("#777"), Color.parse("#fff")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", ["dejavu-dark", "dejavu-light"])
def test_every_text_role_can_be_read(theme: str) -> None:
    async def task() -> None:
        app = Page()
        async with app.run_test() as pilot:
            app.theme = theme
            await pilot.pause()
            variables = app.get_css_variables()
            page = Color.parse(variables["background"])
            rows, view = app.query_one(Live), app.query_one(ConversationView)
            cursors = [
                page + rows.get_component_styles(f"rows--cursor{name}").background
                for name in ("", "-blurred")
            ]
            checked: dict[str, float] = {}

            def check(name: str, text: Color, ground: Color) -> None:
                checked[f"{name} on {ground.hex}"] = contrast(ground + text, ground)

            for widget in (rows, view):
                foreground = widget.colors[-1]
                for name in widget.COMPONENT_CLASSES:
                    role = widget.get_component_styles(name)
                    assert not role.text_style.dim, f"{name} is dimmed by an unknown amount"
                    text = role.color if role.has_rule("color") else foreground
                    if "cursor" not in name:
                        check(name, text, page)
                        for ground in cursors if widget is rows else ():
                            check(name, text, ground)
                for part in ("border_title_color", "border_subtitle_color"):
                    check(part, getattr(widget.styles, part), page)
            search = app.query_one(SearchBox)
            check("placeholder", search.get_component_styles("input--placeholder").color, page)
            check("typed", search.colors[-1], page)
            view.focus()
            await pilot.pause()
            check("focused title", view.styles.border_title_color, page)
            surface = Color.parse(variables["surface"])
            for name in ("foreground", "dim", "accent", "error"):
                for ground in (page, surface):
                    check(name, Color.parse(variables[name]), ground)
            assert len(checked) > 40
            assert {name: ratio for name, ratio in checked.items() if ratio < LEAST} == {}

    run(task())
