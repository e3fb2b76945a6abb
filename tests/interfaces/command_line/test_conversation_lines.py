"""A conversation as lines of a terminal."""

import re

from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from dejavu.interfaces.command_line.conversation_lines import TerminalPage
from dejavu.model import Conversation, Reasoning, Role, Text, ToolCall, ToolCallResponse, Turn

AT = 1_795_000_000.0
ANSWER = """# The cause

The budget is **never** refilled, because `tick` is not called by anything that runs in this build.

- one
- two

```python
def tick(self):
    return 1
```

| a | b |
|---|---|
| 1 | 2 |
"""


def _lines(*turns: Turn, width: int = 80, coloured: bool = False, tools: bool = False) -> list[str]:
    whole = Conversation(
        id="c" * 16, agent="claude", native_id="s", workspace="/w", title="A title", started_at=AT
    ).with_turns(turns)
    page = TerminalPage(width, coloured=coloured, tools=tools)
    return list(page.lines(whole, whole.turns))


def _answer(text: str, at: float = AT) -> Turn:
    return Turn(role=Role.ASSISTANT, parts=(Text(text),), at=at)


def test_markdown_is_rendered() -> None:
    text = "\n".join(_lines(_answer(ANSWER), width=60))
    assert "●" in text
    for raw in ("# The", "**", "`", "|---|", "- one"):
        assert raw not in text, raw
    for shown in ("The cause", "• one", "    return 1", "1  2"):
        assert shown in text, shown


def test_prompts_are_no_markdown_and_wrap_at_words() -> None:
    prompt = Turn(role=Role.USER, parts=(Text("**why** " + "word " * 40 + "\n# end"),), at=AT)
    lines = _lines(prompt, width=60)
    assert "❯ **why** word" in "\n".join(lines)
    assert lines[-1].endswith("# end")
    assert all(
        re.search(r"(word|end|turns? .*|title|native.*|c{16})$", line) for line in lines if line
    )


def test_the_margin_has_number_and_time_once_a_turn() -> None:
    lines = _lines(_answer("one\n\ntwo"), _answer("three", AT + 200_000))
    numbered = [line for line in lines if line.startswith("#")]
    assert [line.split()[0] for line in numbered] == ["#1", "#2"]
    assert all(re.match(r"#\d\s+\d\d:\d\d  ● ", line) for line in numbered)
    assert any(re.fullmatch(r"── \d{4}-\d\d-\d\d", line) for line in lines)


def test_tools_and_reasoning_take_a_line_each() -> None:
    call = Turn(
        role=Role.ASSISTANT,
        parts=(
            Reasoning("First.\nSecond."),
            ToolCall("c", "Edit", {"file_path": "a.py", "old_string": "a", "new_string": "b\nc"}),
        ),
        at=AT,
    )
    answer = Turn(role=Role.TOOL, parts=(ToolCallResponse("c", "done\nreally"),), at=AT)
    folded = [line for line in _lines(call, answer)[2:] if line]
    assert len(folded) == 3
    assert "thinking: First.  (+1 line)" in folded[0]
    assert "Edit: a.py (+2 -1)" in folded[1]
    assert "⎿ done  (+1 line)" in folded[2]
    unfolded = "\n".join(_lines(call, answer, tools=True))
    assert "+ b" in unfolded or "+b" in unfolded
    assert "really" in unfolded


def test_entities_and_links_cannot_act_on_the_terminal() -> None:
    hostile = "&#27;[2J [x](https://example.invalid/) \x1b]52;c;aGk=\x07 &#x202e;"
    for coloured in (False, True):
        text = "\n".join(_lines(_answer(hostile), coloured=coloured))
        assert "\x1b[2J" not in text
        assert "\x1b]" not in text
        assert "\u202e" not in text
    assert "https://example.invalid/" in text


@given(st.text(max_size=300), st.sampled_from([40, 60, 80, 200]), st.sampled_from(list(Role)))
def test_no_line_is_wider_than_the_terminal(text: str, width: int, role: Role) -> None:
    for line in _lines(Turn(role=role, parts=(Text(text),), at=AT), width=width):
        assert wcswidth(line) <= width
        assert "\x1b" not in line
