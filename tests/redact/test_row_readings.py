"""Secrets that an agent broke over rows of its own; the whole path: tests/sessions/observer/test_leaks.py."""

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.redact import Redactor
from dejavu.redact.row_readings import row_readings

REDACTOR = Redactor(b"key", secrets=["correct-horse-battery-staple-9"])
TOKEN = "ghp_" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=36))


def leaks(rows: list[str], secret: str = TOKEN) -> bool:
    text = "".join("".join(row.split()) for row in rows)
    return any(secret[i : i + 10] in text for i in range(len(secret) - 9))


@given(st.integers(12, 39), st.integers(0, 30), st.sampled_from(["", "│ ", "  12 │ ", "> "]))
def test_broken_at_any_width_behind_any_gutter(width: int, lead: int, gutter: str) -> None:
    text = "x" * lead + " " + TOKEN
    rows = [gutter + text[i : i + width] for i in range(0, len(text), width)]
    masked = REDACTOR.mask_block(["some words", *rows, "more words"], 100)
    assert [len(row) for row in masked] == [len(row) for row in ["some words", *rows, "more words"]]
    assert not leaks(masked)
    assert masked[0] == "some words"
    assert masked[-1].endswith(" words")  # a word that had no room beside the secret goes with it


def test_broken_after_a_hyphen_that_is_short_of_the_edge() -> None:
    key = "sk-ant-api03-" + "Ab3-" * 23 + "xyAA"
    rows = [
        "a line that is a good deal longer than the others of the block are",
        key[:40],
        key[40:],
    ]
    assert not leaks(REDACTOR.mask_block(rows, 100), key)


def test_in_a_column_of_a_table() -> None:
    rows = [
        f"name   {TOKEN[:24]}   live",
        f"       {TOKEN[24:]}           2026",
        "other  none                   -",
    ]
    masked = REDACTOR.mask_block(rows, 100)
    assert not leaks(masked)
    assert masked[2] == rows[2]
    assert masked[0].startswith("name")
    assert masked[0].endswith("live")


def test_a_value_of_the_environment_broken_over_rows() -> None:
    rows = ["password: correct-horse-ba", "ttery-staple-9"]
    assert not leaks(REDACTOR.mask_block(rows, 26), "correct-horse-battery-staple-9")


@given(st.lists(st.text(max_size=40), max_size=12), st.integers(1, 60))
def test_never_raises_and_keeps_the_widths(rows: list[str], columns: int) -> None:
    rows = [row.replace("\n", " ") for row in rows]
    masked = REDACTOR.mask_block(rows, columns, cut_above=True, cut_below=True)
    assert [len(row) for row in masked] == [len(row) for row in rows]


PROSE = """The budget is refilled by tick(), which nobody calls. I changed src/net/retry.py so that
the loop calls it once a second, and added a test (tests/net/test_retry.py::test_refill).
Commit 3f2a9c81d4e6b7f0a1b2c3d4e5f60718293a4b5c was reverted; see issue 4711 and the notes
of 2026-11-21. All 214 tests pass, coverage is 93.4 %, and the benchmark takes 12.8 ms."""


@pytest.mark.parametrize("width", [30, 47, 60, 80])
def test_prose_paths_and_hashes_stay(width: int) -> None:
    flat = PROSE.replace("\n", " ")
    rows = [flat[i : i + width] for i in range(0, len(flat), width)]
    assert REDACTOR.mask_block(rows, width) == rows


def texts(rows: list[str], columns: int = 80, wrapped: list[bool] | None = None) -> list[str]:
    return [reading.text for reading in row_readings(rows, columns, wrapped)]


def test_hanging_indent_box_and_side_pane() -> None:
    assert "abcdefghij" in texts(["abcdef", "  ghij"], 6)
    assert "abcdefgh" in texts(["╭──────╮", "│ abcd │", "│ efgh │", "╰──────╯"], 8)
    assert any("abcdefgh\nside1side2" in text for text in texts(["│abcd│side1│", "│efgh│side2│"]))


def test_the_terminal_s_own_break_joins_whatever_the_width() -> None:
    assert "abcdef" in texts(["abc", "def"], 80, [True, False])[0]


@given(st.lists(st.text("ab │|  漢", max_size=12), max_size=6), st.integers(1, 12))
def test_every_character_leads_back_to_its_place(rows: list[str], columns: int) -> None:
    for reading in row_readings(rows, columns):
        for i, char in enumerate(reading.text):
            for span in reading.spans(i, i + 1):
                assert rows[span.row][span.start : span.end] == char


# Each: what stands before the secret's first piece and before its second one, and behind them.
LAYOUTS = {
    "blank row": (["say {}", "", "{} done"]),
    "diff gutter": (["  12 + KEY={}", "       {}", "  13 - old"]),
    "diff gutter again": (["  12 12 + KEY={}", "        + {}", "  13    - old"]),
    "unified diff": (["+KEY={}", "+{}", "-old = 1"]),
    "grep": (["12:KEY={}", "   {}", "13-old"]),
    "comment": (["# the key {}", "# {} of old", "# is gone"]),
    "jsdoc": (["   * the key {}", "   * {} of old", "   */"]),
    "quote": (["> > the key {}", "> > {} of old", "> > is gone"]),
    "log": (["web-1  | 12:00 key {}", "web-1  | {}", "web-1  | 12:01 next"]),
    "table": (["| a | {} | b |", "|   | {} | c |", "|---|---|---|"]),
    "table, tight": (["|a|{}|b|", "| |{}|c|", "+-+-+-+"]),
    "drawn table": (["│ a │ {} │ b │", "│   │ {} │ c │", "├───┼───┼───┤"]),
    "table without lines": (["a   {}   b", "    {}   c", "d   other"]),
    "two panes": (["KEY={}  │ other words", "{}      │ go here", "x  │ and end"]),
    "literals": (['a = "{}" +', '    "{}"', "b = 2"]),
    "literals in brackets": (["a = ('{}'", "     '{}')", "b = 2"]),
    "shell": (["export KEY={}\\", "{}", "cd /"]),
    "return sign": (["KEY={}↵", "{}", "cd /"]),
    "tab": (["KEY\t{}", "\t{}", "X\ty"]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("at", [3, 9, 20, 33])
def test_a_person_could_read_it_together(layout: str, at: int) -> None:
    rows = LAYOUTS[layout]
    first, second = (n for n, row in enumerate(rows) if "{}" in row)
    rows = list(rows)
    rows[first], rows[second] = rows[first].format(TOKEN[:at]), rows[second].format(TOKEN[at:])
    masked = REDACTOR.mask_block(rows, 100)
    assert not leaks(masked), masked
    kept = "".join(masked)
    for row in rows:
        for word in row.replace(TOKEN[:at], " ").replace(TOKEN[at:], " ").split():
            assert word in kept or not word.isalpha(), (word, masked)


@pytest.mark.parametrize("chars", ["-", "+", "/", "_", "="])
def test_broken_beside_a_break_character(chars: str) -> None:
    key = "AzKey" + "".join(random.Random(4).choices(string.ascii_letters + string.digits, k=40))
    for at in (15, 24):
        secret = key[:at] + chars + key[at:]
        for rows in (
            ["api_key=" + secret[: at + 1], "", "  " + secret[at + 1 :]],
            ["a row that is long enough for all", "api_key=" + secret[:at], secret[at:], "words"],
        ):
            assert not leaks(REDACTOR.mask_block(rows, 100), secret), rows


@pytest.mark.parametrize("width", [20, 31, 48])
def test_the_next_word_stays(width: int) -> None:
    rows = ["  use " + TOKEN, "  because it works", "", "  and then go on"]
    assert "because it works" in "".join(REDACTOR.mask_block(rows, width))
    text = REDACTOR.labels("\n".join(REDACTOR.mask_block(rows, width)))
    assert text.split("]")[1].split() == ["because", "it", "works", "and", "then", "go", "on"]
    assert text.count("[redacted:github:") == 1


def test_a_mark_becomes_the_label_that_the_whole_text_would_have() -> None:
    rows = ["the key " + TOKEN[:11], "  " + TOKEN[11:] + " is gone"]
    marked = REDACTOR.mask_block(rows, 100)
    assert [len(row) for row in marked] == [len(row) for row in rows]
    text = REDACTOR.labels(marked[0] + marked[1].strip())
    assert text == REDACTOR.redact(f"the key {TOKEN} is gone")


def test_private_use_characters_of_an_agent_make_no_labels() -> None:
    rows = ["\U000f0000 and " + TOKEN, "\U00100000\U000f0001"]
    text = REDACTOR.labels("\n".join(REDACTOR.mask_block(rows, 100)))
    assert text == "\ufffd and " + REDACTOR.redact(TOKEN) + "\n\ufffd\ufffd"


@pytest.mark.parametrize("sign", ";│|")
def test_a_cell_whose_text_has_wide_gaps(sign: str) -> None:
    cells = [f"xxxx   - value: '{TOKEN[:9]}", TOKEN[9:35], f"{TOKEN[35:]}'"]
    rows = [f"{'a' if not at else '':4} {sign} {cell:26}{sign} b" for at, cell in enumerate(cells)]
    assert not leaks(REDACTOR.mask_block(rows, 40))


def test_a_table_that_a_narrower_terminal_broke() -> None:
    lines = [
        "| row  | plain words                     | x",
        f"| row  | xxxxxxxxxxxxxxxxxxxxx {TOKEN[:9]} | x",
        f"|      | {TOKEN[9:40]} |",
        "| row  | and words                       | x",
    ]
    width = 29
    rows = [line[at : at + width] for line in lines for at in range(0, len(line), width)]
    wrapped = [at + width < len(line) for line in lines for at in range(0, len(line), width)]
    masked = REDACTOR.mask_block(rows, width, wrapped)
    assert not leaks(masked)
    assert list(map(len, masked)) == list(map(len, rows))


def test_the_end_of_a_token_that_reads_like_words_goes_with_rows_of_one_length() -> None:
    key = "".join(random.Random(4).choices(string.ascii_letters + string.digits, k=50))
    secret = f"sc_e8w31r2wim93c1eunrthl06v.z1zc3.acc_l4ndnr7nv7ofib3q.{key}acyDyoPgupo"
    size = (len(secret) - len("acyDyoPgupo")) // 5
    rows = [secret[i : i + size] for i in range(0, len(secret), size)]
    rows = ["  a row that is longer than all", *(f"  {row}" for row in rows), "  and after"]
    masked = "".join(Redactor(b"key").redact_rows(rows, 60))
    assert "acyDyo" not in masked
    assert "and after" in masked


def test_a_table_that_a_narrower_terminal_broke_at_blanks() -> None:
    """A row of the screen has no blanks at its end, and the word behind them begins the next."""
    lines = ["| row  | plain           | x", f"| row  | xxxxxxxxxx {TOKEN[:6]} | x"]
    lines += [f"|      | {TOKEN[at : at + 17]:17} |" for at in range(6, len(TOKEN), 17)]
    width = 20
    rows = [line[at : at + width].rstrip() for line in lines for at in range(0, len(line), width)]
    wrapped = [at + width < len(line) for line in lines for at in range(0, len(line), width)]
    masked = REDACTOR.mask_block(rows, 33, wrapped)
    assert not leaks(masked)
    assert masked[:2] == rows[:2]
    assert list(map(len, masked)) == list(map(len, rows))


def test_a_number_alone_is_the_end_of_something_where_no_lines_are_numbered() -> None:
    rows = [
        "words",
        " https://qyapi.we",
        "ixin.qq.com/cgi-b",
        "in/webhook/send?k",
        "ey=83998519-6a49-",
    ]
    rows += ["4a06-bf3c-a9b19e1", "16821", "and after"]
    masked = REDACTOR.mask_block(rows, 20)
    assert "a9b19" not in "".join(masked)
    assert "16821" not in "".join(masked)
    assert masked[-1] == "and after"
    numbered = ["  11 words", f"  12 {TOKEN[:20]}", "  13", f"  14 {TOKEN[20:]}"]
    masked = REDACTOR.mask_block(numbered, 40)
    assert not leaks(masked)
    assert masked[2] == "  13"


def test_a_token_known_by_its_middle_begins_where_its_row_does() -> None:
    """Behind a blank that was lost at the edge; what stands above would hide its beginning."""
    chance = random.Random(5)

    def drawn(size: int) -> str:
        return "".join(chance.choices(string.ascii_letters + string.digits, k=size))

    secret = f"{drawn(52)}JQQJ99{drawn(10)}ACYeBj{drawn(10)}"
    pieces = [secret[:15], *(secret[at : at + 16] for at in range(15, len(secret), 16))]
    rows = ["| row  | plain            | x", f"| row  |  {pieces[0]} | x"]
    rows += [f"|      | {piece:16} |" for piece in pieces[1:]]
    masked = Redactor(b"key").mask_block(rows, 40)
    assert not any(piece in "".join(masked) for piece in pieces if len(piece) > 4)
    assert masked[0] == rows[0]
