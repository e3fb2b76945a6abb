"""Prompts have the text that was typed, where the screen shows it; nothing else typed is taken."""

import pytest

from dejavu.model import Role
from dejavu.scrapers import SessionReader

ASKED = "what is the old lamp made of"
BOX = ["─" * 60, "❯ ", "─" * 60]
LONG = "\n".join(f"{n}. the entry of this list with number {n}" for n in range(40))


class Session:
    """A reader that is shown screens and told keys, a second apart."""

    def __init__(self, agent: str = "nobody-knows") -> None:
        self.reader, self.at = SessionReader(agent, 80, 30), 0.0

    def show(self, *rows: str) -> None:
        self.at += 1.0
        self.reader.output(("\x1b[2J\x1b[H" + "\r\n".join(rows)).encode(), self.at)
        self.reader.tick(self.at + 0.9)

    def type(self, text: str) -> None:
        self.at += 1.0
        self.reader.keys(text.encode(), self.at)

    @property
    def said(self) -> list[tuple[Role, str]]:
        return [(turn.role, turn.text) for turn in self.reader.turns]

    @property
    def prompts(self) -> list[str]:
        return [text for role, text in self.said if role is Role.USER]


@pytest.mark.parametrize(
    "shown", [f"[you] {ASKED}", f"│ {ASKED} │", f"❯ {ASKED}   12:40", f"  {ASKED}    Context 12%"]
)
def test_a_prompt_of_an_unknown_agent_is_found_whatever_its_mark(shown: str) -> None:
    session = Session()
    session.show("Welcome")
    session.type(ASKED + "\r")
    session.show("Welcome", "", shown, "", "It is made of brass.", *BOX)
    assert session.said == [(Role.USER, ASKED), (Role.ASSISTANT, "It is made of brass.")]


def test_quoted_rows_and_menus_are_no_prompts_where_keys_are_told() -> None:
    session = Session()
    session.show("❯ 1. Yes, I trust it", "  2. No")
    session.type("1\r")
    session.show("Welcome", *BOX)
    session.type(ASKED + "\r")
    rows = [f"❯ {ASKED}", "", "An older tool asked:", "❯ 1. Yes", "  2. No", "> quoted words"]
    session.show("Welcome", *rows, *BOX)
    assert session.prompts == [ASKED]
    assert "quoted words" in session.said[-1][1]


@pytest.mark.parametrize("agent", ["nobody-knows", "claude"])
def test_a_long_paste_is_whole(agent: str) -> None:
    session = Session(agent)
    session.show("Welcome", *BOX)
    session.type(f"\x1b[200~{LONG}\x1b[201~ in short\r")
    session.show("❯ [Pasted text #1 +39 lines] in short", "", "● It is long.", "", *BOX)
    assert session.prompts == [f"{LONG} in short"]


def test_a_prompt_of_many_rows_takes_its_rows_from_the_answer() -> None:
    session, rows = Session(), LONG.splitlines()[:10]
    session.show("Welcome", *BOX)
    session.type("\x1b[200~" + "\n".join(rows) + "\x1b[201~\r")
    session.show(f"❯ {rows[0]}", *rows[1:], "", "Short.", *BOX)
    assert session.said == [(Role.USER, "\n".join(rows)), (Role.ASSISTANT, "Short.")]


def test_a_quoted_row_that_breaks_off_is_no_prompt_where_the_prompt_is_shown() -> None:
    session = Session()
    session.show("Welcome", *BOX)
    session.type(ASKED + "\r")
    quoted = ["● It said:", "", "  1 ✻ Thinking… (12s · esc to interrupt)", "  It was a quotation."]
    session.show(*quoted, "", f"❯ {ASKED}", "", "● Brass.", *BOX)
    assert session.prompts == [ASKED]
    assert session.said[-1] == (Role.ASSISTANT, "Brass.")


def test_a_count_in_place_of_rows_gives_back_their_words() -> None:
    session = Session()
    session.show("Welcome", *BOX)
    session.type(ASKED + "\r")
    above = [f"❯ {ASKED}", ""]
    session.show(*above, "● First command.", "", "● Ran it.", *BOX)
    session.show(*above, "… 1 messages", "", "● Ran it.", "", "● Done.", *BOX)
    assert "First command." in session.said[-1][1]
    assert "1 messages" not in session.said[-1][1]


def test_what_is_not_shown_is_never_taken() -> None:
    session = Session()
    session.show("Password:")
    session.type("correct horse battery\r")
    session.show("Password: ******", "", *BOX)
    session.type(ASKED + "\r")
    session.show(f"❯ {ASKED}", "", "Brass.", *BOX)
    session.reader.exit(0, session.at + 1)
    assert session.prompts == [ASKED]
    assert "horse" not in repr(session.said)


def test_keys_of_a_menu_before_a_text_are_no_part_of_it() -> None:
    session = Session()
    session.show("Run it? y/n")
    session.type("y")
    session.type(ASKED + "\r")
    session.show(f"❯ {ASKED}", "", "Brass.", *BOX)
    assert session.prompts == [ASKED]


def test_an_older_prompt_that_is_called_back_counts() -> None:
    session = Session()
    session.show("Welcome", *BOX)
    session.type("\x1b[A\r")
    session.show("❯ the one from yesterday", "", "Fine.", *BOX)
    assert session.prompts == ["the one from yesterday"]


def test_behind_a_loss_rules_find_prompts_again() -> None:
    session = Session()
    session.show("Welcome", *BOX)
    session.type("hello there you\r")
    session.reader.keys(b"", session.at)
    session.show("❯ another one", "", "Fine.", *BOX)
    assert session.prompts == ["another one"]


def test_the_prompt_that_an_agent_was_started_with_counts() -> None:
    session = Session()
    session.reader.give(ASKED, 0.0)
    session.show(f"you said: {ASKED}", "", "Brass.", *BOX)
    session.type("x")
    assert session.prompts == [ASKED]


def test_the_same_text_sent_twice_is_two_prompts() -> None:
    session = Session()
    session.show("Welcome", *BOX)
    session.type("go on please\r")
    session.show("> go on please", "", "One.", *BOX)
    session.type("go on please\r")
    session.show("> go on please", "", "One.", "", "> go on please", "", "Two.", *BOX)
    assert session.prompts == ["go on please", "go on please"]
