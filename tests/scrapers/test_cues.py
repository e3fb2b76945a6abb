"""Idle holds only against the cues that mean the same for any agent, whatever a pack's rules say."""

import pytest
from tests.golden import Case, cases

from dejavu.scrapers import SessionReader, State, read
from dejavu.scrapers.state import Confidence
from dejavu.screen import Snapshot

IDLE = [case for case in cases() if not case.is_recording and case.facts["state"] == "idle"]
LIVE = [
    "⠙ Reading files… (4s · esc to interrupt)",
    "✻ Unravelling… (esc to interrupt)",
    "◐ Compacting... (1m 12s)",
    "⠴Reading... like a user  (0s · ↓ 13 tokens · esc",
]
LEFT = ["◌ Thinking…", "Press ctrl+c to interrupt"]


def with_rows_above_input(case: Case, rows: list[str]) -> Snapshot:
    """The case's screen with more rows, and a blank one, right above its input."""
    region = next(region for region in case.reading().regions if region.name == "input")
    screen = [row.rstrip() for row in case.snapshot().rows]
    return Snapshot.from_rows([*screen[: region.top], "", *rows, "", *screen[region.top :]])


@pytest.mark.parametrize("row", LIVE)
@pytest.mark.parametrize("case", IDLE, ids=lambda case: case.name)
def test_live_work_above_the_input_is_never_idle(case: Case, row: str) -> None:
    tip = "  ⎿ Tip: words that wrap in a narrow window and go on"
    for rows in ([row], [row, tip, "    in a row that no rule was written for"]):
        reading = read(case.facts["agent"], with_rows_above_input(case, rows))
        assert reading.state in (State.WORKING, State.UNKNOWN)


@pytest.mark.parametrize("row", LEFT)
def test_what_may_be_left_of_work_makes_idle_unknown(row: str) -> None:
    screen = ["❯ ask", "", "● An answer.", "", row, "─" * 40, "❯ ", "─" * 40]
    reading = read("claude", Snapshot.from_rows(screen))
    assert (reading.state, reading.confidence) == (State.UNKNOWN, Confidence.NONE)
    assert reading.detail == row


@pytest.mark.parametrize("row", [*LIVE, *LEFT])
def test_work_that_an_answer_quotes_or_that_lies_above_one_counts_for_nothing(row: str) -> None:
    quoted = ["❯ ask", "", "● It looks like this:", "", f"  {row}", "", "─" * 40, "❯ ", "─" * 40]
    old = ["❯ ask", "", row, "", "● An answer.", "", "─" * 40, "❯ ", "─" * 40]
    for screen in (quoted, old):
        assert read("claude", Snapshot.from_rows(screen)).state is State.IDLE


BOX = ["╭" + "─" * 40 + "╮", "╰" + "─" * 40 + "╯"]


def boxed(*rows: str) -> list[str]:
    return [BOX[0], *(f"│ {row.ljust(38)} │" for row in rows), BOX[1]]


@pytest.mark.parametrize("agent", ["amp", "auggie", "generic", "nobody-knows"])
@pytest.mark.parametrize(
    "choices",
    [
        ["▸● Approve", " ○ Approve for this session", " ○ Deny"],
        ["» 1. Yes", "  2. No", "Enter select • Esc cancel"],
        ["➜ Yes", "  No", "↑/↓ to navigate"],
    ],
)
def test_a_pointer_beside_choices_at_the_bottom_is_blocked(agent: str, choices: list[str]) -> None:
    screen = ["> ask", "", *boxed("May it write the file?", *choices), " ? for shortcuts"]
    assert read(agent, Snapshot.from_rows(screen)).state is State.BLOCKED


def test_a_list_that_a_person_types_is_no_choice() -> None:
    screen = ["❯ ask", "", "● An answer.", "", "─" * 40, "❯ 1. write it", "  2. test it", "─" * 40]
    assert read("claude", Snapshot.from_rows(screen)).state is State.IDLE


def test_choices_that_an_answer_quotes_are_none() -> None:
    quote = ["● It asked:", "", "  ▸● Approve", "   ○ Deny", "  Enter select • Esc cancel"]
    screen = ["❯ ask", "", *quote, "", "─" * 40, "❯ ", "─" * 40]
    assert read("claude", Snapshot.from_rows(screen)).state is State.IDLE


def test_a_cue_is_part_of_the_explanation() -> None:
    screen = ["❯ ask", "", *boxed("Go on?", "▸● Yes", " ○ No")]
    reading = read("amp", Snapshot.from_rows(screen))
    assert (reading.rule, reading.confidence) == ("cue:choices", Confidence.WEAK)
    assert reading.explanation[-1].rule == "choices"


@pytest.mark.parametrize(
    ("rows", "menu"),
    [
        (["  Help  General", "", "  ←/→ to switch · Esc to close"], True),
        (
            ["Resume", "", "  Ctrl+A to show all · Ctrl+B to show current branch · Esc to close"],
            True,
        ),
        (["Working…", "  esc to interrupt · ctrl+c to exit"], False),
        (["Working", "  Esc to cancel · ctrl+t to toggle"], False),
        (["Press Esc to close the window, then go on · or do not (it is late)."], False),
        (["  Esc to close"], False),
        (["x", "  ←/→ to switch · Esc to close", "", "and more"], False),
    ],
)
def test_key_hints_with_a_way_out_at_the_very_bottom_are_a_menu(rows: list[str], menu: bool):
    reading = read("auto", Snapshot.from_rows(rows))
    assert (reading.rule == "cue:menu") is menu


def test_a_prompt_that_nothing_answered_yet_means_work() -> None:
    input_box = ["─" * 40, "❯ ", "─" * 40]
    for below in ([""], ["", " 🌖 · Tip: words that go on", ""], ["", "⠋ a word", ""]):
        screen = ["❯ ask", "", "● An answer.", "", "❯ ask again", *below, *input_box]
        assert read("claude", Snapshot.from_rows(screen)).state is State.WORKING
    for prompt in ("❯ /compact", "❯ !ls"):
        assert read("claude", Snapshot.from_rows([prompt, "", *input_box])).state is State.IDLE


QUOTE = ["  ✻ Thinking… (12s · esc to interrupt)", "", "  That was a quotation.", ""]


def test_work_in_running_text_whose_start_has_scrolled_off_is_not_certain() -> None:
    screen = [*QUOTE, "─" * 40, "❯ ", "─" * 40]
    assert read("claude", Snapshot.from_rows(screen)).state is State.UNKNOWN


def test_rows_that_have_scrolled_off_tell_a_quotation() -> None:
    reader = SessionReader("claude", 40, 8)
    answer = ["❯ ask", "", "● It looked like this:", "", *QUOTE]
    reader.output("\r\n".join([*answer, "─" * 40, "❯ ", "─" * 40]).encode(), 0.0)
    reader.tick(2.0)
    assert reader.reading is not None
    assert "ask" not in "".join(reader.reading.layout.rows)
    assert reader.state is State.IDLE


def test_a_prompt_at_the_end_of_a_screen_scrolled_back_is_not_the_last() -> None:
    reader = SessionReader("claude", 40, 20)
    answers = [row for n in range(9) for row in (f"● An answer number {n} of many.", "")]
    rows = ["❯ one", "", *answers[:10], "❯ two", "", *answers[10:]]
    for at, start in ((0.0, 0), (2.0, 4), (4.0, 0)):
        shown = [*rows[start:][:14], "", "─" * 40, "❯ ", "─" * 40]
        reader.output(("\x1b[?1049h\x1b[2J\x1b[H" + "\r\n".join(shown)).encode(), at)
        reader.tick(at + 1.9)
    assert reader.reading is not None
    assert reader.reading.layout.lines[-1] == "❯ two"
    assert reader.state is State.IDLE


KEYS = "enter accept  a accept always  d deny"


def test_keys_that_allow_and_refuse_in_a_box_outrank_a_working_footer() -> None:
    screen = ["❯ ask", "", "┃ $ make test".ljust(50) + "┃", f"┃ {KEYS}".ljust(50) + "┃", ""]
    working = ["✻ Baking… (3s · esc to interrupt)", "─" * 40, "❯ ", "─" * 40]
    reading = read("claude", Snapshot.from_rows([*screen, *working]))
    assert (reading.state, reading.rule) == (State.BLOCKED, "cue:decision")


@pytest.mark.parametrize("row", [KEYS, f"● It ends in: {KEYS}"])
def test_keys_that_an_answer_quotes_ask_nothing(row: str) -> None:
    quoted = ["❯ ask", "", "● Its last row:", "", f"  {row}", "", "─" * 40, "❯ ", "─" * 40]
    boxed_quote = [
        "❯ ask",
        "",
        "● This:",
        f"  │ {row} │",
        "",
        "  " + "All words of an answer. " * 4,
    ]
    for screen in (quoted, [*boxed_quote, "─" * 40, "❯ ", "─" * 40]):
        assert read("claude", Snapshot.from_rows(screen)).state is State.IDLE


INPUT = ["─" * 40, "❯ ", "─" * 40]


@pytest.mark.parametrize(
    ("agent", "rows"),
    [
        ("codex", ["• Working (4s)", "", "› Ask", ""]),
        ("codex", ["• Ordnung schaffen (4s • esc to interrupt)", "", "› Ask", ""]),
        ("codex", ["• Tidying (2s • f12 to interrupt)", "", "› Ask", ""]),
        (
            "codex",
            ["• Tidying (2s • esc to interrupt)", "", "• Queued", "  ↳ more", "", "› Ask", ""],
        ),
        ("claude", ["✻ Googling. (ctrl+c to interrupt)", "", *INPUT]),
    ],
)
def test_a_status_row_that_a_rule_takes_for_an_answer_is_work(agent: str, rows: list[str]) -> None:
    assert read(agent, Snapshot.from_rows(["", *rows, "  gpt-5 · 64% context left"])).state in (
        State.WORKING,
        State.UNKNOWN,
    )


@pytest.mark.parametrize(
    "row",
    [
        "● It runs (4s · esc to interrupt) in the lower row.",
        "● Ran the tests (4s)",
        "✓ Testing (4s)",
    ],
)
def test_a_clock_in_an_answer_is_no_work(row: str) -> None:
    assert read("claude", Snapshot.from_rows(["❯ ask", "", row, "", *INPUT])).state is State.IDLE


@pytest.mark.parametrize("row", ["⬝⬝■■⬝⬝  esc interrupt", "◉ Denke nach · 3 KiB esc interrupt"])
def test_work_below_the_input_forbids_idle(row: str) -> None:
    screen = ["❯ ask", "", "● An answer.", "", *INPUT, f" {row}"]
    assert read("claude", Snapshot.from_rows(screen)).state is State.WORKING


ASKING: list[list[str]] = [
    ["Darf ich das?", "", "❯ 1. Ja", "  2. Nein", "", "Esc verlässt"],
    ["Darf ich das?", "", "> 1. Ja", "  2. Nein"],
    ["Darf ich das?", "❯ Ja", "  Nein, und sage warum"],
    ["● Ja, einmal", "○ Ja, immer", "○ Nein"],
    ["Darf ich das?", "❯ 1. Ja", "     weil es eilt", "  2. Nein", "     denn es eilt nicht"],
    ["続行しますか？", "❯ はい", "  いいえ"],
    ["هل تريد المتابعة؟", "❯ نعم", "  لا"],
    ["Darf ich das? [j/n]:"],
    ["Darf ich das? (J)a/(N)ein/(I)mmer [Ja]:"],
    ["  [j] Ja   [n] Nein"],
    ["│ Allow once   Reject       ⇆ select  enter confirm"],
]


@pytest.mark.parametrize("agent", ["nobody-knows", "claude", "kimi", "opencode"])
@pytest.mark.parametrize("rows", ASKING, ids=lambda rows: rows[0])
def test_what_is_asked_at_the_bottom_without_an_input_blocks_any_agent(
    agent: str, rows: list[str]
) -> None:
    assert read(agent, Snapshot.from_rows(["some words", "", *rows])).state is State.BLOCKED


@pytest.mark.parametrize("rows", ASKING, ids=lambda rows: rows[0])
def test_what_is_asked_above_an_input_is_quoted_or_answered(rows: list[str]) -> None:
    quote = [f"  {row}" for row in rows]
    screen = ["❯ ask", "", "● It asked:", "", *quote, "", *INPUT]
    assert read("claude", Snapshot.from_rows(screen)).state is State.IDLE


@pytest.mark.parametrize("rows", ASKING, ids=lambda rows: rows[0])
def test_words_below_choices_make_them_a_quotation(rows: list[str]) -> None:
    prose = "And then it went on for a whole sentence of words that nobody asked for."
    assert read("nobody-knows", Snapshot.from_rows([*rows, "", prose])).state is not State.BLOCKED


def test_a_box_may_lack_its_right_side_where_characters_are_measured_otherwise() -> None:
    box = ["╭" + "─" * 38 + "╮", "│ > naïve 🧑‍💻 words", "╰" + "─" * 38 + "╯"]
    assert read("kimi", Snapshot.from_rows(["● An answer.", "", *box], 60)).state is State.IDLE


README = [
    "# How agents ask",
    "",
    "    ❯ 1. Yes",
    "      2. No",
    "",
    "Enter to select · Esc to cancel",
]


@pytest.mark.parametrize("agent", ["nobody-knows", "claude", "codex"])
@pytest.mark.parametrize("prompt", ["$ ", "user@host:~/p$ ", "# ", "[me@host p]% "])
@pytest.mark.parametrize(
    "shown", [README, ["# Spinners", "", "⠙ Working… (3s · esc to interrupt)"]]
)
def test_what_a_shell_has_printed_asks_nothing_and_does_nothing(
    agent: str, prompt: str, shown: list[str]
) -> None:
    reading = read(agent, Snapshot.from_rows([*shown, prompt]))
    assert reading.state not in (State.BLOCKED, State.WORKING)


@pytest.mark.parametrize("columns", [20, 24, 30])
@pytest.mark.parametrize("agent", ["claude", "codex", "nobody-knows"])
def test_choices_that_wrap_in_a_narrow_window_block(agent: str, columns: int) -> None:
    rows = [
        "Do you want to",
        "proceed?",
        "❯ 1. Yes",
        "  2. Yes, and don't",
        "     ask again",
        "  3. No",
    ]
    assert read(agent, Snapshot.from_rows(rows, columns)).state is State.BLOCKED


@pytest.mark.parametrize("title", ["", "⠙ project", "✳ project"])
def test_a_dialog_whose_upper_part_has_scrolled_off_is_never_idle(title: str) -> None:
    rows = ["  2. Yes, always", "  3. No", "", "Esc to cancel · Tab to amend"]
    for agent in ("claude", "codex", "kimi", "gemini", "nobody-knows"):
        assert read(agent, Snapshot.from_rows(rows, title=title)).state is not State.IDLE


def test_of_two_spinners_one_is_enough() -> None:
    rows = ["❯ ask", "", "✻ Reading… (3s · esc to interrupt)", "", "✶ Writing… (4s)", "", *INPUT]
    assert read("claude", Snapshot.from_rows(rows)).state is State.WORKING


def test_a_status_of_which_two_columns_wrap_is_work() -> None:
    answer = ["  > ask", "", "  ✦ An answer.", "", "     1. It goes on and on", ""]
    status = [
        "  ⠴I've seen things you would not believe... like  (0s · ↓ 13 tokens · esc",
        "",
        f"{'to cancel)':>62}",
    ]
    box = ["─" * 80, ">   Type your message or @path/to/file", "─" * 80, "  ? for shortcuts"]
    reading = read("qwen", Snapshot.from_rows([*answer, *status, *box], 80))
    assert (reading.state, reading.rule) == (State.WORKING, "status")
