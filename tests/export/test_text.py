import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.export.text import as_text
from dejavu.model import Conversation, Part, Role, Text, ToolCall, ToolCallResponse, Turn


def plain(text: str, _code: str) -> str:
    return text


@given(st.text(st.characters()), st.text(st.characters()))
def test_nothing_captured_can_act_on_the_terminal(title: str, content: str) -> None:
    whole = Conversation(id="x", agent="a", title=title).with_turns(
        (Turn(role=Role.USER, parts=(Text(content),)),)
    )
    out = "\n".join(as_text(whole, paint=plain))
    assert not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in out)


def test_prompts_and_answers_are_told_apart() -> None:
    whole = Conversation(id="x", agent="a").with_turns(
        (
            Turn(role=Role.USER, parts=(Text("one\ntwo"),)),
            Turn(role=Role.ASSISTANT, parts=(Text("yes"),)),
        )
    )
    assert list(as_text(whole, paint=plain))[2:] == ["", "❯ one", "  two", "", "● yes"]


def shown(*parts: Part, full: bool = False, coloured: bool = False) -> list[str]:
    """The lines of one answer; colours as `<1;36|text>`."""
    whole = Conversation(id="x", agent="a").with_turns(
        (Turn(role=Role.ASSISTANT, parts=tuple(parts)),)
    )
    paint = (lambda text, code: f"<{code}|{text}>") if coloured else plain
    return list(as_text(whole, paint=paint, full=full, coloured=coloured))[3:]


EDIT = ToolCall("1", "Edit", {"file_path": "f.py", "old_string": "a\nb", "new_string": "a\nc"})


def test_a_call_that_changes_a_file_shows_the_change() -> None:
    assert shown(EDIT) == ["● Edit: f.py (+1 -1)", "     a", "    -b", "    +c"]
    assert shown(EDIT, coloured=True)[-2:] == ["<2|    ><31|-b>", "<2|    ><32|+c>"]
    long = ToolCall("1", "Edit", {"old_string": "a\n" * 30, "new_string": "b\n" * 30})
    assert shown(long)[-1] == "    … 48 more lines (--full shows them)"
    assert len(shown(long, full=True)) == 61


def test_commands_and_files_are_shown_as_they_are_when_everything_is() -> None:
    call = ToolCall("1", "Bash", {"command": "if x\nthen y\nfi"})
    assert shown(call) == ["● Bash: if x"]
    assert shown(call, full=True)[1:] == ["    if x", "    then y", "    fi"]
    assert "<35|if>" in shown(call, full=True, coloured=True)[1]


@pytest.mark.parametrize(
    ("content", "painted"),
    [
        ("a\n```py\nif x:\n```\nif", ["<0|a>", "<0|```py>", "<35|if>", "<0|```>", "<0|if>"]),
        ("~~~~ py\n~~~\nif\n~~~~", ["<0|~~~~ py>", "<0|~", "<35|if>", "<0|~~~~>"]),
        ("```diff\n+a\n b", ["<0|```diff>", "<32|+a>", "<0| b>"]),
        ("```\nif\n```", ["<0|```>", "<0|if>", "<0|```>"]),
    ],
)
def test_code_in_fences_is_painted(content: str, painted: list[str]) -> None:
    lines = [line.partition(">")[2] for line in shown(Text(content), coloured=True)]
    assert all(line.startswith(expected) for line, expected in zip(lines, painted, strict=True))


def test_what_is_too_long_has_one_colour() -> None:
    lines = shown(Text("```py\n" + "if x: y\n" * 30_000 + "```"), coloured=True)
    assert lines[1] == "<0|  if x: y>"


def test_a_diff_that_a_tool_printed_is_painted() -> None:
    diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b"
    lines = shown(ToolCallResponse("1", diff), coloured=True)
    assert lines[-1] == "<2|    ><32|+b>"


@given(
    st.lists(st.sampled_from(["```py", "```", "~~~", "if x:", "", "  ```", "\x1b[1m", "é", "+a"]))
)
def test_colours_change_no_word(lines: list[str]) -> None:
    parts = (Text("\n".join(lines)), EDIT, ToolCallResponse("1", "\n".join(lines)))
    bare = [re.sub(r"<[\d;]+\||>", "", line) for line in shown(*parts, coloured=True)]
    assert bare == [re.sub(r"<[\d;]+\||>", "", line) for line in shown(*parts)]
