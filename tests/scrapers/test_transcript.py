import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Role, Text, ToolCall, ToolCallResponse, Turn, Vector
from dejavu.scrapers import SessionReader, Transcript
from dejavu.scrapers.blocks import RowContent
from dejavu.scrapers.rows import Row, link_rows
from dejavu.scrapers.secret_rows import SecretRows
from dejavu.screen import Terminal

RULE = "─" * 60
BOX = ["", RULE, "❯ ", RULE, "  ? for shortcuts"]


def show(terminal: Terminal, transcript: Transcript, rows: list[str], at: float = 0.0) -> None:
    """Draw a whole frame on the alternate screen, bottom-most rows first kept, and feed it."""
    rows = rows[-terminal.lines :]
    data = "\x1b[?1049h\x1b[H" + "".join(f"\x1b[{n + 1}H\x1b[K{row}" for n, row in enumerate(rows))
    changes = terminal.feed((data + "\x1b[J").encode())
    transcript.feed(terminal.snapshot(), changes, at)


def texts(transcript: Transcript) -> list[tuple[str, str]]:
    return [(str(turn.role), turn.text) for turn in transcript.turns]


def test_turns_of_a_session_that_scrolls_in_the_alternate_screen():
    terminal, transcript = Terminal(60, 14), Transcript("demo")
    document: list[str] = ["Welcome", ""]
    for number in range(12):
        document += [
            f"❯ question {number}",
            "",
            f"● answer {number} first line",
            "",
            "  second",
            "",
        ]
        show(terminal, transcript, [*document[:-1], *BOX], float(number))
    expected = [
        turn
        for number in range(12)
        for turn in (
            ("user", f"question {number}"),
            ("assistant", f"answer {number} first line\n\nsecond"),
        )
    ]
    assert texts(transcript) == expected
    assert [turn.seq for turn in transcript.turns] == list(range(24))
    assert {turn.vector for turn in transcript.turns} == {Vector.SCREEN}
    assert transcript.gaps == ()


@given(
    st.lists(st.text(st.sampled_from("abc ●❯#>|"), max_size=30), min_size=1, max_size=3),
    st.lists(st.integers(1, 4), min_size=4, max_size=20),
)
def test_rows_that_stand_still_while_their_neighbours_scroll_change_nothing(
    header: list[str], steps: list[int]
) -> None:
    """A banner over the transcript, whatever it says: the turns are those read without it."""
    header = [f"{n}{text.rstrip()}" for n, text in enumerate(header)]
    document = ["❯ question", ""]
    plain, topped = Transcript("demo"), Transcript("demo")
    terminals = Terminal(60, 21), Terminal(60, 21 + len(header))
    lines = 0
    for step in (8, *steps):
        document += [f"{'  ' if lines + n else '● '}line {lines + n} of it" for n in range(step)]
        lines += step
        body = [*document, *BOX]
        show(terminals[0], plain, body)
        show(terminals[1], topped, [*header, *body[-21:]])
    assert texts(topped) == texts(plain)
    assert texts(plain)[1][1] == "\n".join(f"line {n} of it" for n in range(lines))


@pytest.mark.parametrize("above", [[], ["Welcome", "to the agent", "", "Tip: none", ""]])
def test_a_prompt_that_stays_at_the_top_when_it_scrolls_off_is_read_once(above: list[str]) -> None:
    terminal, transcript = Terminal(60, 17), Transcript("demo")
    document = [*above, "❯ question", "", "● line 0 of it"]
    for number in range(1, 40):
        document.append(f"  line {number} of it")
        body = document[-12:]
        if "❯ question" not in body:
            body = ["❯ question", *body[1:]]
        show(terminal, transcript, [*body, *BOX], float(number))
    answer = "\n".join(f"line {number} of it" for number in range(40))
    assert texts(transcript) == [("user", "question"), ("assistant", answer)]


def test_the_same_prompt_twice_is_two_turns():
    terminal, transcript = Terminal(60, 20), Transcript("demo")
    document = ["❯ ping", "", "● pong", ""]
    show(terminal, transcript, [*document, *BOX])
    show(terminal, transcript, [*document, *document, *BOX])
    assert texts(transcript) == [("user", "ping"), ("assistant", "pong")] * 2


def test_text_that_streams_is_provisional_until_the_end_is_seen():
    terminal, transcript = Terminal(60, 20), Transcript("demo")
    busy = ["", "✻ Thinking… (3s · esc to interrupt)", *BOX]
    show(terminal, transcript, ["❯ go", "", "● I am sti", *busy])
    assert transcript.turns[-1].meta == {"provisional": True}
    transcript.finish()
    assert transcript.turns[-1].meta == {}
    show(terminal, transcript, ["❯ go", "", "● I am still here.", *BOX])
    assert transcript.turns[-1].text == "I am still here."
    assert transcript.turns[-1].meta == {}


def test_calls_and_responses_are_parts():
    terminal, transcript = Terminal(60, 20), Transcript("demo")
    rows = ["❯ go", "", "● Bash(ls -1)", "  ⎿  README.md", "     hello.py", "", "● Two files."]
    show(terminal, transcript, [*rows, *BOX])
    user, call, response, answer = transcript.turns
    assert user.role is Role.USER
    assert call.parts == (ToolCall(None, "Bash", {"command": "ls -1"}),)
    assert response.parts == (ToolCallResponse(None, "README.md\nhello.py"),)
    assert response.role is Role.TOOL
    assert answer.parts == (Text("Two files."),)


def test_a_jump_is_a_gap_and_nothing_is_invented():
    terminal, transcript = Terminal(60, 12), Transcript("demo")
    show(terminal, transcript, ["❯ one", "", "● first answer, which stands alone", *BOX], 1.0)
    later = [f"  row {n} of a much longer answer" for n in range(6)]
    show(terminal, transcript, [*later, *BOX], 2.0)
    (gap,) = transcript.gaps
    assert gap.at == 2.0
    assert "unseen" in gap.reason


def test_a_viewer_of_the_past_is_no_transcript():
    terminal, transcript = Terminal(60, 12), Transcript("claude")
    said = ["❯ one", "", "● first", ""]
    show(terminal, transcript, [*said, RULE, "❯ ", RULE, "  ? for shortcuts"], 1.0)
    viewer = ["❯ one", "", "● old text", "  Showing detailed transcript · ctrl+o to toggle"]
    show(terminal, transcript, viewer, 2.0)
    show(terminal, transcript, viewer, 200.0)
    assert texts(transcript) == [("user", "one"), ("assistant", "first")]


def test_what_stands_before_the_first_prompt_is_no_turn():
    terminal, transcript = Terminal(60, 12), Transcript("demo")
    show(terminal, transcript, ["● Welcome back", "", *BOX])
    assert transcript.turns == ()


def test_lines_that_scroll_into_history_are_kept():
    terminal, transcript = Terminal(40, 8), Transcript("demo")
    for number in range(30):
        data = f"❯ question {number}\r\n\r\n● answer {number}\r\n\r\n"
        changes = terminal.feed(data.encode())
        transcript.feed(terminal.snapshot(), changes, float(number))
    assert [turn.text for turn in transcript.turns if turn.role is Role.USER] == [
        f"question {number}" for number in range(30)
    ]


def test_rows_held_are_bounded_and_turns_are_not(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("dejavu.scrapers.transcript._MAX_ROWS", 60)
    monkeypatch.setattr("dejavu.scrapers.transcript._DROP_ROWS", 20)
    terminal, transcript = Terminal(40, 8), Transcript("demo")
    for number in range(60):
        data = f"❯ question {number}\r\n\r\n● answer {number}\r\n  goes on\r\n\r\n"
        changes = terminal.feed(data.encode())
        transcript.feed(terminal.snapshot(), changes, float(number))
    assert [turn.text for turn in transcript.turns] == [
        text for n in range(60) for text in (f"question {n}", f"answer {n}\ngoes on")
    ]
    assert all(len(buffer.transcript.rows) <= 80 for buffer in transcript._buffers.values())


def _bounded(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    monkeypatch.setattr("dejavu.scrapers.transcript._MAX_ROWS", rows)
    monkeypatch.setattr("dejavu.scrapers.transcript._DROP_ROWS", rows // 3)


@given(st.lists(st.integers(1, 12), min_size=1, max_size=60), st.integers(1, 9))
def test_released_turns_and_those_behind_them_are_all_turns(sizes: list[int], every: int):
    def follow(rows: int) -> list[Turn]:
        with pytest.MonkeyPatch.context() as patch:
            _bounded(patch, rows)
            terminal, transcript = Terminal(40, 8), Transcript("demo")
            turns: list[Turn] = []
            for number, size in enumerate(sizes):
                answer = "".join(f"  row {row} of {number}\r\n" for row in range(size))
                data = f"❯ question {number}\r\n\r\n● answer {number}\r\n{answer}\r\n"
                changes = terminal.feed(data.encode())
                transcript.feed(terminal.snapshot(), changes, float(number))
                if number % every == 0 and rows < 1000:
                    turns += transcript.release()
            return [*turns, *transcript.turns]

    released, whole = follow(60), follow(60_000)
    assert released == whole
    assert [turn.seq for turn in released] == list(range(2 * len(sizes)))


def test_of_a_block_longer_than_all_rows_held_nothing_is_lost(monkeypatch: pytest.MonkeyPatch):
    _bounded(monkeypatch, 60)
    terminal, transcript = Terminal(40, 8), Transcript("demo")
    turns: list[Turn] = []
    for number in range(500):
        start = "❯ go on\r\n\r\n● it begins\r\n" if number == 0 else ""
        changes = terminal.feed(f"{start}  row {number}.\r\n".encode())
        transcript.feed(terminal.snapshot(), changes, float(number))
        turns += transcript.release()
        buffer = transcript._buffers[False]
        assert len(buffer.transcript.rows) <= 60
        assert sum(len(block.contents) for block in buffer.blocks) <= 70
    turns += transcript.turns
    text = "\n".join(turn.text for turn in turns[1:])
    assert text.split("\n") == ["it begins", *(f"row {number}." for number in range(500))]
    assert {turn.role for turn in turns[1:]} == {Role.ASSISTANT}


def test_rows_that_come_before_any_prompt_are_not_held(monkeypatch: pytest.MonkeyPatch):
    _bounded(monkeypatch, 60)
    terminal, transcript = Terminal(40, 8), Transcript("demo")
    for number in range(500):
        changes = terminal.feed(f"● line {number}\r\n".encode())
        transcript.feed(terminal.snapshot(), changes, float(number))
    assert transcript.release() == transcript.turns == ()
    assert len(transcript._buffers[False].blocks) <= 70


def test_the_other_screen_takes_over_when_it_has_more_turns(monkeypatch: pytest.MonkeyPatch):
    _bounded(monkeypatch, 60)
    terminal, transcript = Terminal(60, 20), Transcript("demo")
    turns: list[Turn] = []
    for number in range(20):
        page = f"❯ main {number}\r\n\r\n● answer {number}\r\n\r\n"
        transcript.feed(*_fed(terminal, page), float(number))
        turns += transcript.release()
    assert turns[0].text == "main 0"
    document: list[str] = []
    for number in range(60):
        document += [f"❯ other {number}", "", f"● answer {number}", ""]
        show(terminal, transcript, [*document[:-1], *BOX], float(20 + number))
        released = transcript.release()
        if released and released[0].seq == 0:
            turns = []
        turns += released
    turns += transcript.turns
    assert [turn.seq for turn in turns] == list(range(120))
    assert [turn.text for turn in turns if turn.role is Role.USER] == [
        f"other {number}" for number in range(60)
    ]


def _fed(terminal: Terminal, text: str):
    changes = terminal.feed(text.encode())
    return terminal.snapshot(), changes


def test_lost_bytes_are_a_gap():
    transcript = Transcript("demo")
    transcript.mark_gap(3.0, "the capture lost 9 bytes")
    assert [(gap.at, gap.reason) for gap in transcript.gaps] == [(3.0, "the capture lost 9 bytes")]


sentences = st.lists(st.text("abcdef gh", min_size=1, max_size=50), min_size=1, max_size=12)


@given(sentences, st.integers(9, 30))
def test_following_any_session_gives_each_line_once(said: list[str], lines: int):
    terminal, transcript = Terminal(60, lines), Transcript("demo")
    document: list[str] = []
    for number, sentence in enumerate(said):
        text = f"{number} " + " ".join(sentence.split())
        document += [f"❯ {text}".rstrip(), "", f"● re {text}".rstrip(), ""]
        show(terminal, transcript, [*document[:-1], *BOX])
    prompts = [turn.text for turn in transcript.turns if turn.role is Role.USER]
    assert prompts == [f"{n} {' '.join(s.split())}".strip() for n, s in enumerate(said)]


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
