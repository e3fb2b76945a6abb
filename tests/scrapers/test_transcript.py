import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Role, Text, ToolCall, ToolCallResponse, Turn, Vector
from dejavu.scrapers import Transcript
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
