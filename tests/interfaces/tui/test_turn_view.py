from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style
from tests.interfaces.tui.driving import START, screen  # noqa: F401 - skips without the library

from dejavu.interfaces.tui.formatting import searched_for
from dejavu.interfaces.tui.turn_view import RenderOptions, TurnView
from dejavu.model import Part, Reasoning, Role, Text, ToolCall, ToolCallResponse, Turn, Vector

EDIT = ToolCall("e", "Edit", {"file_path": "a.py", "old_string": "one\n", "new_string": "two\n"})


def drawn(
    *parts: Part, role: Role = Role.ASSISTANT, unfolded: bool = False, width: int = 60
) -> str:
    view = TurnView("claude", RenderOptions(width, {}))
    lines = view.lines(Turn(role=role, parts=parts, at=START), unfolded=unfolded)
    assert all(line.cell_length <= width for line in lines)
    return "\n".join(line.text.rstrip() for line in lines)


def test_prose_is_rendered_and_its_source_named_unless_it_is_the_session_file() -> None:
    text = drawn(Text("# Head\n\n**bold** and `code`\n\n```python\nx = 1\n```"))
    assert "● claude" in text
    assert "session file" not in text
    assert "bold and code" in text
    assert not set("#*`") & set(text)
    lines = TurnView("claude", RenderOptions(60, {})).lines(
        Turn(role=Role.ASSISTANT, parts=(Text("x"),), at=START, vector=Vector.SCREEN)
    )
    heading = next(line.text.rstrip() for line in lines if "claude" in line.text)
    assert heading.endswith("screen")


def test_code_is_coloured_in_answers_and_in_opened_calls() -> None:
    purple, green = Style(color="#800080"), Style(color="#008000")
    view = TurnView("claude", RenderOptions(60, {"code-keyword": purple, "code-string": green}))
    call = ToolCall("1", "Write", {"file_path": "a.py", "content": "if x == 'y': pass\n"})
    for part in (Text("```python\nif x == 'y': pass\n```"), call):
        lines = view.lines(Turn(role=Role.ASSISTANT, parts=(part,)), unfolded=True)
        colours = {
            segment.text: segment.style.color
            for line in lines
            for segment in line
            if segment.style is not None
        }
        assert colours["if"] == purple.color
        assert colours["'y'"] == green.color


def test_a_prompt_stays_as_it_was_typed() -> None:
    assert "**as is**\n  second" in drawn(Text("**as is**\nsecond"), role=Role.USER)


def test_screen_text_is_no_markdown() -> None:
    view = TurnView("claude", RenderOptions(60, {}))
    turn = Turn(role=Role.ASSISTANT, parts=(Text("*x*"),), vector=Vector.SCREEN)
    text = "\n".join(line.text for line in view.lines(turn))
    assert "*x*" in text
    assert "screen" in text


def test_an_edit_is_folded_and_opens_as_a_diff() -> None:
    assert "▸ Edit  a.py (+1 -1)" in drawn(EDIT)
    text = drawn(EDIT, unfolded=True)
    assert "│ -one\n" in text
    assert "│ +two" in text


def test_an_answer_of_a_tool_is_one_line_until_it_is_opened() -> None:
    part = ToolCallResponse("c", "first\nsecond", is_error=True)
    assert drawn(part, role=Role.TOOL).count("\n") == 0
    assert "failed: first  +1 line " in drawn(part, role=Role.TOOL)
    assert "│ second" in drawn(part, role=Role.TOOL, unfolded=True)


def test_thinking_is_folded() -> None:
    assert "second thought" not in drawn(Reasoning("first\n\n\nsecond thought"), Text("x"))
    assert "second thought" in drawn(Reasoning("first\n\n\nsecond thought"), unfolded=True)


def test_a_huge_answer_is_bounded_and_says_so() -> None:
    text = drawn(ToolCallResponse("c", "x\n" * 50_000), role=Role.TOOL, unfolded=True)
    assert text.count("\n") < 1_010
    assert "more lines" in text


def test_words_found_are_marked() -> None:
    from rich.style import Style

    options = RenderOptions(60, {"found": Style(underline=True)}, highlight=searched_for("tick"))
    turn = Turn(role=Role.ASSISTANT, parts=(Text("The ticking."),))
    marked = [
        segment.text
        for line in TurnView("a", options).lines(turn)
        for segment in line
        if segment.style is not None and segment.style.underline
    ]
    assert marked == ["tick"]


_TEXT = st.text(
    st.sampled_from("ab \n\t`*#>|-[]()<>&;1x27\x1b\x9b\x07\u202e\u200b世🙂"), max_size=80
)


@given(_TEXT, st.integers(20, 60), st.booleans())
def test_whatever_was_said_is_drawn_without_controls(text: str, width: int, wide: bool) -> None:
    parts = (Text(text), Reasoning(text), ToolCall(text, text, {text: text}),
             ToolCallResponse(None, text))  # fmt: skip
    shown = drawn(*parts, unfolded=wide, width=width)
    assert not set(shown) & set("\x1b\x9b\x07\u202e\u200b")


def test_entities_spell_no_controls() -> None:
    shown = drawn(Text("a &#27;[2J &#x202e; &#155;31m &#x9b;1m `&#27;` [x](http://&#x202e;/)"))
    assert not set(shown) & set("\x1b\x9b\u202e")
