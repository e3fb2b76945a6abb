"""Blocks that a gap, another width or a redraw cuts: masked whole, read once."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scrapers.test_transcript import BOX, RULE, show, texts

from dejavu.model import Text, ToolCall
from dejavu.scrapers import SessionReader, Transcript
from dejavu.scrapers.blocks import RowContent
from dejavu.scrapers.rows import Row, link_rows
from dejavu.scrapers.secret_rows import SecretRows
from dejavu.screen import Terminal


class Mask:
    """Masks two words; remembers what it was asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[str], dict[str, object]]] = []

    def mask_block(self, rows, columns, wrapped=None, **cuts):
        self.calls.append(
            (
                list(rows),
                {name: cut for name, cut in cuts.items() if name not in ("suspect", "widths")},
            )
        )
        if any("unjudged" in row for row in rows):
            raise ValueError("too much")
        return [row.replace("sec", "***").replace("ret", "***") for row in rows]

    def labels(self, text):
        return text.replace("***", "#")

    redact = labels


def test_rows_of_a_block_are_masked_before_they_are_joined():
    """A secret broken over two rows is found only while it is known which rows belong together."""
    mask = Mask()
    terminal, transcript = Terminal(60, 20), Transcript("demo", mask=mask)
    show(terminal, transcript, ["❯ show it", "", "● it is sec", "  ret", *BOX])
    assert texts(transcript)[1][1].split() == ["it", "is", "#", "#"]
    rows = ["show it", "it is sec", "ret"]
    expected = {"cut_above": True, "cut_below": True, "ends": [True, False, True]}
    assert (rows, expected) in mask.calls
    transcript.finish()
    assert texts(transcript)[1][1].split() == ["it", "is", "#", "#"]
    assert (rows, {**expected, "cut_below": False}) in mask.calls


def test_blocks_beside_a_gap_are_told_to_be_cut():
    mask = Mask()
    terminal, transcript = Terminal(60, 14), Transcript("demo", mask=mask)
    show(terminal, transcript, ["❯ one", "", "● first answer", *BOX])
    show(terminal, transcript, ["● the end of another", "  and its last row", "", "❯ two", *BOX])
    assert transcript.gaps
    assert transcript.turns
    cut = {"cut_above": True, "cut_below": True, "ends": [True, True]}
    assert (["one", "first answer"], cut) in mask.calls
    rows = ["the end of another", "and its last row", "two"]
    expected = {"cut_above": True, "cut_below": True, "ends": [False, True, True]}
    assert (rows, expected) in mask.calls


def test_rows_drawn_for_another_width_are_told_to_be_cut_though_they_follow_alike_rows():
    """What stood between two widths may be lost: nobody saw that the rows below were the same."""
    mask = Mask()
    secrets = SecretRows(mask)
    narrow, wide = (Row(text, False, columns) for text, columns in (("plain", 40), ("plain", 80)))
    above, below = Row("xx sk_4f9", False, 40), Row("and after", False, 80)
    link_rows([narrow, above, wide, below])
    contents = [RowContent(row.text, 0, row) for row in (narrow, above, wide, below)]
    secrets.masked(contents)
    assert [(rows, cuts["cut_above"], cuts["cut_below"]) for rows, cuts in mask.calls] == [
        (["plain", "xx sk_4f9"], False, True),
        (["plain", "and after"], True, False),
    ]
    mask.calls.clear()
    above.joined = True
    secrets.masked(contents)
    assert len(mask.calls) == 1, "a resize divided one row: its halves are one line"


def test_a_blank_row_left_of_another_width_does_not_make_the_others_roomy():
    columns: list[int] = []

    class Widths(Mask):
        def mask_block(self, rows, columns_, wrapped=None, **cuts):
            columns.append(columns_)
            return super().mask_block(rows, columns_, wrapped, **cuts)

    rows = [Row("", False, 200), Row("plain", False, 48), Row("and after", False, 48)]
    SecretRows(Widths()).masked([RowContent(row.text, 2, row) for row in rows])
    SecretRows(Widths()).masked([RowContent("", 0, rows[0])])
    assert columns == [46, 200]


def test_a_block_that_cannot_be_judged_is_withheld_and_says_so():
    terminal, transcript = Terminal(60, 20), Transcript("demo", mask=Mask())
    show(terminal, transcript, ["❯ show it", "", "● it is unjudged", "", "❯ and on", *BOX])
    (_, shown), (_, withheld), (_, after) = texts(transcript)
    assert shown == "show it"
    assert withheld == "[withheld: it could not be checked for secrets]"
    assert after == "and on"


@given(
    st.lists(st.text(st.sampled_from("abcde漢字-.>●❯"), min_size=1, max_size=30), min_size=1),
    st.integers(20, 60),
)
def test_what_the_terminal_wraps_is_read_whole(words: list[str], columns: int) -> None:
    """A row that goes on belongs to its block whatever the rest looks like."""
    answer = " ".join(words)
    terminal, transcript = Terminal(columns, 400), Transcript("demo")
    rule = "─" * columns
    screen = f"❯ ask\r\n\r\n● {answer}\r\n\r\n  the end\r\n\r\n{rule}\r\n❯ \r\n{rule}\r\n"
    changes = terminal.feed(screen.encode())
    transcript.feed(terminal.snapshot(), changes, 0.0)
    (user, said) = texts(transcript)
    assert user == ("user", "ask")
    # Whether a blank or a wide character did not fit in the last column cannot be seen.
    loose = re.compile(" ?([漢字]) ?")
    assert loose.sub(r"\1", said[1]) == loose.sub(r"\1", f"{answer}\n\nthe end")


def test_a_prompt_that_only_loses_its_mark_for_a_moment_stays() -> None:
    reader = SessionReader("claude", 60, 9)
    box = ["─" * 40, "❯ ", "─" * 40]
    rows = ["❯ what is asked here", "", "● One row.", "  Another row.", "  A third row."]
    for at, shown in (
        (1.0, rows),
        (2.0, ["▄❯ what is asked here", *rows[1:]]),
        (3.0, [*rows[1:], "  A fourth row."]),
    ):
        screen = "\r\n".join([*shown, "", *box])
        reader.output(f"\x1b[?1049h\x1b[H\x1b[J{screen}".encode(), at)
        reader.tick(at + 0.9)
    assert [turn.text for turn in reader.turns][:1] == ["what is asked here"]


def conversation(width: int, turns: int = 9) -> list[str]:
    """Rows of questions and wrapped answers, laid out for a width."""
    rows: list[str] = []
    for n in range(turns):
        words = f"answer number {n} goes on for a while and says what the others did not".split()
        lines = [""]
        for word in words:
            if len(lines[-1]) + len(word) + 3 > width:
                lines.append("")
            lines[-1] = f"{lines[-1]} {word}".strip()
        rows += [
            f"❯ question number {n}",
            "",
            f"● {lines[0]}",
            *(f"  {line}" for line in lines[1:]),
        ]
        rows.append("")
    return rows


def words(transcript: Transcript) -> list[tuple[str, list[str]]]:
    return [(role, text.split()) for role, text in texts(transcript)]


def print_rows(transcript: Transcript, terminal: Terminal, rows: list[str], at: float) -> None:
    """Print rows on the main screen, from where the cursor is, and feed the frame."""
    changes = terminal.feed(("\r\n".join(rows)).encode())
    transcript.feed(terminal.snapshot(), changes, at)


@given(
    st.sampled_from([30, 44, 60]),
    st.integers(1, 2),
    st.sampled_from([0, 7, 20]),
    st.sampled_from(["\x1b[2J\x1b[3J\x1b[H", "\x1b[2J\x1b[H"]),
)
def test_what_is_printed_again_whole_is_the_same_text(
    width: int, times: int, part: int, erase: str
) -> None:
    terminal, transcript = Terminal(60, 12), Transcript("demo")
    box = ["─" * 44, "❯ ", "─" * 44]
    print_rows(transcript, terminal, [*conversation(44), *box], 0.0)
    expected = words(transcript)
    assert len(expected) == 18
    again = [*conversation(width) * times, *box]
    if part:  # drawn in two goes, with a frame between
        print_rows(transcript, terminal, [erase + "Welcome", *again[:part]], 1.0)
        print_rows(transcript, terminal, ["", *again[part:]], 1.1)
    else:
        print_rows(transcript, terminal, [erase + "Welcome", *again], 1.0)
    assert words(transcript) == expected
    assert transcript.gaps == ()


def test_a_counter_in_a_row_that_stands_still_does_not_make_it_move() -> None:
    terminal, transcript = Terminal(60, 16), Transcript("demo")
    rows = conversation(44)
    for shown in range(2, len(rows) + 1):
        title = f"┃ A conversation   {shown * 317:,} tokens ({shown}%)"
        view = rows[max(0, shown - 10) : shown]
        show(
            terminal, transcript, [title, "", *view, *[""] * (10 - len(view)), *BOX[1:]], shown / 9
        )
    read = "".join(text for _, text in texts(transcript))
    assert "tokens" not in read.replace("question number 0", "", 1) or read.count("tokens") <= 1
    assert [text for role, text in texts(transcript) if role == "user"] == [
        f"question number {n}" for n in range(9)
    ]
    assert transcript.gaps == ()


def test_what_a_spinner_left_amid_an_answer_does_not_end_it() -> None:
    terminal, transcript = Terminal(60, 16), Transcript("demo")
    rows = ["❯ question", "", "● An answer that", "  goes on", "⠧", "  and on", "", "  to its end."]
    show(terminal, transcript, [*rows, *BOX])
    assert texts(transcript)[1][1].endswith("and on\n\nto its end.")


@pytest.mark.parametrize("shown", [1, 2, 3, 5])
def test_half_a_redraw_after_a_resize_takes_nothing_away(shown: int) -> None:
    terminal, transcript = Terminal(60, 40), Transcript("demo")
    rows = conversation(44, 6)
    show(terminal, transcript, [*rows, *BOX], 0.0)
    expected = words(transcript)
    terminal.resize(50, 30)
    narrow = conversation(40, 6)
    show(terminal, transcript, [*narrow[8 : 8 + shown], *BOX], 1.0)
    show(terminal, transcript, [*narrow[-18:], *BOX], 1.2)
    assert words(transcript) == expected
    assert transcript.gaps == ()


def test_a_file_of_no_kind_that_copilot_made_is_a_call_and_no_answer() -> None:
    terminal, transcript = Terminal(60, 14), Transcript("copilot")
    rows = [" ❯ write it", "", " \x1b[32m●\x1b[m \x1b[1mCreate \x1b[mmade \x1b[32m+1\x1b[m", ""]
    answer = [" ● \x1b[1mCreate\x1b[m is done.", "", RULE, "❯ ", RULE, " /help"]
    show(terminal, transcript, [*rows, *answer])
    (_, said) = transcript.turns
    call, text = said.parts
    assert isinstance(call, ToolCall)
    assert (call.name, call.arguments) == ("Create", {"path": "made"})
    assert text == Text("Create is done.")
