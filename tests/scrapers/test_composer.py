"""Text fields as the agents of the rig draw them: empty, with a placeholder, with a draft."""

import pytest

from dejavu.scrapers.composer import Composer, read_composer
from dejavu.scrapers.packs import default_packs
from dejavu.screen import Terminal

RULE = "─" * 60
DOWN = [""] * 13
GREY, SHADED = "\x1b[38;5;248m", "\x1b[48;5;240m"


def composer(agent: str, rows: list[str], cursor: tuple[int, int], above: int = 6) -> Composer:
    """The field of a screen of 60 by 24 that ends in `rows`; the cursor counts within them."""
    terminal = Terminal(60, 24)
    for number, row in enumerate(rows):
        terminal.feed(f"\x1b[{above + number + 1};1H{row}\x1b[m".encode())
    terminal.feed(f"\x1b[{above + cursor[0] + 1};{cursor[1] + 1}H".encode())
    found = read_composer(default_packs()[agent], terminal.snapshot())
    assert found is not None
    return found


def claude(*rows: str) -> list[str]:
    return [RULE, *rows, RULE, "  ? for shortcuts"]


@pytest.mark.parametrize(
    ("agent", "rows", "cursor", "text"),
    [
        ("claude", claude("❯\xa0\x1b[7m \x1b[m"), (1, 2), ""),
        ("claude", claude("❯\xa0\x1b[7mT\x1b[m\x1b[2mry a thing"), (1, 2), ""),
        ("claude", claude("❯\xa0a draft\x1b[7m \x1b[m"), (1, 9), "a draft"),
        ("claude", claude("❯\xa0\x1b[7ma\x1b[m draft"), (1, 2), "a draft"),
        ("claude", claude("❯\xa0\x1b[7ma\x1b[m"), (1, 2), "a"),
        ("claude", claude("❯\xa0one", "  ", "  two"), (3, 5), "one\n\ntwo"),
        ("claude", claude("❯\xa0fix \x1b[2mthe parser"), (1, 6), "fix"),
        ("codex", ["› \x1b[2mAsk Codex to do anything", "", "  gpt-5 · ~/project"], (0, 2), ""),
        ("codex", ["› [Pasted Content 1909 chars]", "", "  gpt-5 · ~/p"], (0, 29),
         "[Pasted Content 1909 chars]"),
        ("qwen", [RULE, "> \x1b[48;5;252m \x1b[m\x1b[38;5;103m Type your message", RULE], (1, 2), ""),
        ("qwen", [RULE, "> a draft\x1b[48;5;252m \u200b\x1b[m", RULE], (1, 9), "a draft"),
        ("kimi", [f"╭{RULE[:58]}╮", f"│ > > quoted{' ' * 47}│", f"╰{RULE[:58]}╯"], (1, 12), "> quoted"),
        ("amp", [*DOWN, f"╭─smart{RULE[:52]}╮", f"│{' ' * 58}│", f"╰{RULE[:41]}/var/tmp/project─╯"],
         (14, 2), ""),
        ("amp", [*DOWN, f"╭─smart{RULE[:52]}╮", f"│ a ╭─draft─╮{' ' * 46}│", f"╰{RULE[:58]}╯"],
         (14, 13), "a ╭─draft─╮"),
        ("pi", [RULE, "\x1b[7m \x1b[m", RULE], (1, 0), ""),
        ("pi", [RULE, "one", "> quoted", RULE], (2, 8), "one\n> quoted"),
        ("gemini", [RULE, f" {GREY}Shift+Tab to accept edits", f"{SHADED}{' ' * 60}",
                    f"{SHADED} > \x1b[7m \x1b[27m{GREY} Type your message"], (3, 3), ""),
        ("gemini", [RULE, f" \x1b[33mauto-accept edits {GREY}Shift+Tab to plan", "",
                    f"{SHADED} > \x1b[7m \x1b[27m{GREY} Type your message"], (3, 3), ""),
        ("gemini", [RULE, " \x1b[33mauto-accept edits\x1b[m", "", f"{SHADED} > one",
                    f"{SHADED}   > two", ""], (4, 8), "one\n> two"),
        ("gemini", [RULE, f" {GREY}Shift+Tab to accept edits", f"{SHADED}{' ' * 60}",
                    f"{SHADED} > one", f"{SHADED}   two", "",
                    " workspace (/directory)       sandbox       /model"], (4, 6), "one\ntwo"),
        ("gemini", [RULE, f" {GREY}Shift+Tab to accept edits", f"{SHADED}{' ' * 60}",
                    f"{SHADED} > one", f"{SHADED}   two", f"{SHADED}   ",
                    " workspace (/directory)       sandbox       /model"], (5, 3), "one\ntwo"),
    ],
)  # fmt: skip
def test_what_was_typed_is_told_from_what_is_offered(
    agent: str, rows: list[str], cursor: tuple[int, int], text: str
) -> None:
    assert composer(agent, rows, cursor).text == text


def test_a_parked_cursor_is_no_part_of_a_field() -> None:
    rows = [*claude("❯\xa0"), "  /var/project"]
    assert composer("claude", rows, (4, 0)).text == ""


def test_a_screen_without_a_field_has_none() -> None:
    terminal = Terminal(60, 24)
    terminal.feed(b"hello\r\nthere")
    assert read_composer(default_packs()["claude"], terminal.snapshot()) is None
