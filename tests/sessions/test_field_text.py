"""Texts and what a field shows of them; the screen itself is tested in tests/sessions/test_delivery.py."""

from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from dejavu.sessions.field_text import FieldText, Sight, squeeze

WORDS = st.lists(
    st.text("abcXYZ019 .,:;/*>#-é字", min_size=1, max_size=20), min_size=1, max_size=30
)


def sight(*rows: str, around: tuple[str, ...] = ()) -> Sight:
    return Sight(True, rows, 0, (0, 0), around)


def field(text: str) -> FieldText:
    return FieldText(Path("/none"), text)


@given(WORDS, st.integers(4, 60))
def test_a_text_is_known_however_it_is_wrapped(lines: list[str], columns: int) -> None:
    text = "\n".join(lines)
    assume(squeeze(text))
    rows = [
        line[start : start + columns]
        for line in text.split("\n")
        for start in range(0, len(line), columns)
    ]
    assert field(text).holds(sight(*rows))


@given(WORDS, st.text("abcXYZ019", min_size=1, max_size=9), st.booleans())
def test_more_than_the_text_is_another_text(lines: list[str], more: str, ahead: bool) -> None:
    text = "\n".join(lines)
    assume(squeeze(text) and "**" not in text)
    rows = [f"{more}{lines[0]}", *lines[1:]] if ahead else [*lines[:-1], f"{lines[-1]}{more}"]
    shown = sight(*rows)
    assert not field(text).holds(shown)
    assert field(text).holds_more(shown) or len(rows) > 1


def test_a_folded_paste_and_a_secret_stand_for_what_they_hide() -> None:
    text = "look at this:\n" + "\n".join(map(str, range(60))) + "\nand fix it"
    assert field(text).holds(sight("look at this: [Pasted text #1 +59 lines] and fix it"))
    assert field(text).holds(sight("[Pasted ~62 lines]"))
    assert not field(text).holds(sight("[Pasted ~62 lines] or not"))
    assert field("use sk-1234 now").holds(sight("use [redacted:key:0a1b2c3d] now"))
    assert not field("use it").holds(sight("used it"))


def test_a_long_field_shows_its_last_rows() -> None:
    text = "\n".join(f"row {number} of the text" for number in range(60))
    assert field(text).holds(sight(*text.split("\n")[-8:]))
    assert not field(text).holds(sight(*text.split("\n")[:8]))
    assert not field(text).holds(sight("row 59 of the text"))


def test_a_shell_command_loses_its_mark_to_the_prompt() -> None:
    assert field("!ls -l").holds(sight("ls -l"))
    assert field("> quoted").holds(sight("quoted"))
    assert not field("als -l").holds(sight("ls -l"))


def test_a_short_text_counts_where_it_is_a_row() -> None:
    around = ("● going on", "❯ go", "  go", "and so we go")
    assert field("go").count(sight(around=around)) == 2
    assert field("go").count(sight(around=("● ongoing",))) == 0
    long = "the parser reads each line of input and counts"
    assert (
        field(long).count(sight(around=("❯ the parser reads each", "  line of input and counts")))
        == 1
    )


def test_a_prompt_of_the_session_file_is_known() -> None:
    assert field("fix the parser\nnow").is_prompt("fix the parser now")
    assert not field("fix the parser").is_prompt("fix the printer")
    assert not field("fix the parser").is_prompt("")
