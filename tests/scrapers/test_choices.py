"""The reader of choices: every shape, and nothing where one was read in part."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.scrapers import Blocked, describe, read, seems_to_ask
from dejavu.scrapers.choices import read_choices
from dejavu.screen import Terminal

BAR = "\x1b[48;5;236m"
CHOSEN = "\x1b[38;5;16;48;5;214m"


def drawn(*rows: str, columns: int = 80, lines: int = 24) -> Blocked:
    """What is asked by rows with their styles."""
    terminal = Terminal(columns, lines)
    terminal.feed("\r\n".join(rows).encode())
    shown = terminal.snapshot()
    layout = read("generic", shown).layout
    return describe(layout, None, columns=columns, wrapped=shown.wrapped, shown=shown)


def beside(labels: list[str], chosen: int, on: str = "\x1b[7m", off: str = "\x1b[27m") -> str:
    """Labels in one row, one of them drawn as the chosen one."""
    return "  " + "   ".join(
        f"{on}{one}{off}" if n == chosen else one for n, one in enumerate(labels)
    )


@pytest.mark.parametrize("chosen", [0, 1, 2])
@pytest.mark.parametrize("on", ["\x1b[7m", CHOSEN, "\x1b[1;36m"])
def test_choices_side_by_side_of_which_a_colour_marks_one(chosen: int, on: str) -> None:
    labels = ["Allow once", "Allow always", "Reject"]
    row = beside(labels, chosen, on, "\x1b[m")
    one = drawn(
        "Run this command?", "", "  $ make", "", row + "     ctrl+f full  ⇆ select  enter confirm"
    )
    assert (one.choices, one.default, one.across) == (tuple(labels), labels[chosen], True)


def test_choices_on_the_ground_of_a_panel() -> None:
    row = f"{BAR}  Yes   {CHOSEN}No{BAR}" + " " * 50 + "\x1b[K\x1b[m"
    one = drawn(
        f"{BAR}Overwrite it?\x1b[K\x1b[m",
        f"{BAR}\x1b[K\x1b[m",
        row,
        f"{BAR}←/→ choose • enter confirm\x1b[K\x1b[m",
    )
    assert (one.choices, one.default, one.across) == (("Yes", "No"), "No", True)


def test_two_choices_on_a_panel_that_the_screens_ground_surrounds() -> None:
    ground, panel = "\x1b[48;5;232m", "\x1b[48;5;234m"
    above = [f"{ground}{' ' * 78}" for _ in range(5)]
    row = (
        f"{panel}   {CHOSEN} Confirm {panel}  \x1b[38;5;8mCancel"
        + " " * 20
        + "⇆ select  enter confirm"
    )
    blank = f"{panel}{' ' * 78}"
    one = drawn(*above, f"{panel} △ Always allow{' ' * 63}", blank, blank, row, blank, *above)
    assert (one.choices, one.default, one.across) == (("Confirm", "Cancel"), "Confirm", True)


def test_of_two_that_differ_in_their_own_colours_none_is_the_chosen_one() -> None:
    one = drawn(
        "Overwrite it?",
        "",
        "  \x1b[32mYes\x1b[m   \x1b[31mNo\x1b[m",
        "",
        "←/→ choose • enter confirm",
    )
    assert (one.choices, one.default, one.keys) == ((), None, ())
    one = drawn(
        "Overwrite it?",
        "",
        "  \x1b[32mYes\x1b[m   \x1b[2mNo\x1b[m",
        "",
        "←/→ choose • enter confirm",
    )
    assert (one.choices, one.default) == (("Yes", "No"), "Yes")


@pytest.mark.parametrize("row", ["  ❯ Yes    No", "  > Yes    No"])
def test_a_pointer_within_the_row(row: str) -> None:
    one = drawn("Overwrite it?", "", row, "", "←/→ choose • enter confirm")
    assert (one.choices, one.default, one.across) == (("Yes", "No"), "Yes", True)


@pytest.mark.parametrize("on", ["\x1b[7m", "\x1b[36m", CHOSEN])
def test_a_numbered_list_of_which_a_colour_marks_one(on: str) -> None:
    rows = [
        "  1. Parser",
        f"  {on}2. Printer\x1b[m",
        "     its rows too",
        "  3. Type your own answer",
    ]
    one = drawn("Which part shall I change?", "", *rows, "", "↑↓ select  enter submit  esc dismiss")
    assert one.choices == ("Parser", "Printer", "Type your own answer")
    assert (one.default, one.across, one.keys) == ("Printer", False, ())


def test_a_list_without_numbers_needs_another_ground() -> None:
    rows = ["Run this command?", "", "  {}Yes\x1b[m", "  No", "", "↑/↓ select, enter to confirm"]
    on = [row.format("\x1b[7m") for row in rows]
    assert (drawn(*on).choices, drawn(*on).default) == (("Yes", "No"), "Yes")
    bold = [row.format("\x1b[1m") for row in rows]
    assert drawn(*bold).choices == (), "a command in bold above its folder looks so"


def test_buttons_of_which_one_is_filled() -> None:
    rows = ["Allow this change?", "", "● Yes, allow once", "○ Yes, allow always", "○ No (esc)"]
    one = drawn(*rows)
    assert (one.choices, one.default) == (
        ("Yes, allow once", "Yes, allow always", "No (esc)"),
        "Yes, allow once",
    )
    assert drawn(*rows[:3], "● Yes, allow always", "○ No").choices == (), "two are marked"


def test_labels_with_their_keys_behind_them() -> None:
    one = drawn("Permission required", "$ make test", "", "Allow (a)  Deny (d)")
    assert (one.choices, one.keys) == (("Allow", "Deny"), ("a", "d"))


def test_letters_above_a_prompt_that_names_a_mode() -> None:
    one = drawn("Allow this action? Use 't' to trust this tool. [y/n/t]:", "", "[Q] > ")
    assert (one.choices, one.keys) == (("y", "n", "t"), ("y", "n", "t"))


@pytest.mark.fault("A2")
def test_a_label_that_is_wrapped_to_the_column_of_its_number() -> None:
    rows = [
        "Do you want to run this command?", "",
        "❯ 1. Yes",
        "  2. Yes, and don't ask again for `rm` in this directory",
        "  (/home/ada/a-rather-long-folder/.../project)",
        "  3. No, and say what to do instead (Esc to stop)", "",
        "↑/↓ to navigate · enter to select · esc to cancel",
    ]  # fmt: skip
    one = drawn(*rows, columns=70)
    assert one.choices == (
        "Yes",
        f"{rows[3][5:]} {rows[4].strip()}",
        "No, and say what to do instead (Esc to stop)",
    )


def test_a_label_that_the_terminal_wrapped() -> None:
    long = "Yes, and always allow access to /home/ada/projects/never from this one"
    one = drawn("Do you want to proceed?", "❯ 1. Yes", f"  2. {long}", "  3. No", columns=40)
    assert one.choices == ("Yes", long, "No")


def test_numbers_that_end_in_one_column() -> None:
    rows = [f"{'❯' if n == 1 else ' '} {n:2}. Choice {n}" for n in range(1, 12)]
    assert len(drawn("Which one?", *rows).choices) == 11


def test_a_screen_that_may_ask() -> None:
    assert seems_to_ask(["│ ❯ 1. Yes │", "│   2. No  │"])
    assert seems_to_ask(["Overwrite? [y/N]", ""])
    assert not seems_to_ask(["> tell me more", "1. first", "2. second"])


@given(st.lists(st.text("❯>12. ()[]●○YNoy/←→│ a", max_size=30), max_size=12))
def test_whatever_is_drawn_each_choice_can_be_taken(rows: list[str]) -> None:
    found = read_choices(rows)
    if found is None:
        return
    assert found.labels
    assert len(found.keys) in (0, len(found.labels))
    assert found.keys or found.default in found.labels


def listed(numbers: range, pointed: int) -> list[str]:
    return [f"{'●' if n == pointed else ' '} {n}. Tree {n}" for n in numbers]


@pytest.mark.parametrize(
    ("above", "numbers", "below", "first"),
    [
        (["▲"], range(1, 4), ["▼"], 1),
        (["▲"], range(3, 6), ["▼"], 3),
        (["↑ 4 more"], range(5, 8), [], 5),
        ([], range(1, 4), ["↓ (12 more)"], 1),
    ],
)
def test_a_list_that_scrolls_says_so_and_keeps_its_own_numbers(
    above: list[str], numbers: range, below: list[str], first: int
) -> None:
    rows = [
        "Which tree shall I plant?",
        "",
        *above,
        *listed(numbers, numbers[1]),
        *below,
        "",
        "Enter to select",
    ]
    one = drawn(*rows)
    assert one.choices == tuple(f"Tree {n}" for n in numbers)
    assert (one.default, one.first, one.more) == (f"Tree {numbers[1]}", first, True)
    assert one.question == "Which tree shall I plant?"


def test_one_entry_between_two_arrows_is_read() -> None:
    one = drawn("Which tree?", "", "▲", "● 4. Tree 4", "     an oak", "▼", "", "Enter to select")
    assert (one.choices, one.first, one.more) == (("Tree 4",), 4, True)


def test_an_arrow_before_a_number_tells_that_the_list_goes_on() -> None:
    one = drawn("Which tree?", "", "❯ 1. Oak", "  2. Elm", "↓ 3. Fir", "", "Enter to select")
    assert (one.choices, one.first, one.more) == (("Oak", "Elm", "Fir"), 1, True)


def test_a_list_that_begins_later_and_does_not_say_why_offers_nothing() -> None:
    rows = ["Which tree?", "", *listed(range(3, 6), 4), "", "↑/↓ to navigate · Enter to select"]
    assert drawn(*rows).choices == ()
