import pytest

from dejavu.export.parts import call_blocks, call_summary, label_and_body, value_text
from dejavu.model import Blob, Extension, Part, Reasoning, Text, ToolCall, ToolCallResponse


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"command": "ls -l\nwc"}, "T: ls -l"),
        ({"file_path": "/a/b.py", "old_string": "x"}, "T: /a/b.py"),
        ({"query": "rate limits"}, "T: rate limits"),
        ({}, "T"),
        (None, "T"),
        ("plain", "T: plain"),
        ([1, 2], "T: ["),
    ],
)
def test_a_call_in_one_line(arguments: object, told: str) -> None:
    assert call_summary(ToolCall("1", "T", arguments)) == told


@pytest.mark.parametrize(
    ("part", "label"),
    [
        (Text("x"), ""),
        (Reasoning("x"), "reasoning"),
        (ToolCall("1", "Bash", {"a": 1}), "tool call · Bash"),
        (ToolCallResponse("1", "x"), "tool response"),
        (ToolCallResponse("1", "x", is_error=True), "tool error"),
        (Blob("image/png", "QUJD"), "attachment"),
        (Extension("claude.x", {"a": 1}), "claude.x"),
    ],
)
def test_every_part_says_what_it_is(part: Part, label: str) -> None:
    assert label_and_body(part)[0] == label


def test_values_are_readable() -> None:
    assert value_text(None) == ""
    assert value_text("a\nb") == "a\nb"
    assert value_text({"ä": [1]}) == '{\n  "ä": [\n    1\n  ]\n}'


@pytest.mark.parametrize(
    ("arguments", "blocks"),
    [
        (None, []),
        ("raw", [("", "raw", "")]),
        ([1], [("", "[\n  1\n]", "json")]),
        ({"command": "ls |\nwc"}, [("command", "ls |\nwc", "bash")]),
        ({"command": ["ls", "-l"]}, [("command", "ls -l", "bash")]),
        ({"command": [1]}, [("", '{\n  "command": [\n    1\n  ]\n}', "json")]),
        (
            {"file_path": "a.py", "content": "x = 1\n"},
            [("", '{\n  "file_path": "a.py"\n}', "json"), ("content", "x = 1\n", "py")],
        ),
        ({"content": "x"}, [("", '{\n  "content": "x"\n}', "json")]),
    ],
)
def test_commands_and_files_of_a_call_are_read_as_they_are(
    arguments: object, blocks: list[tuple[str, str, str]]
) -> None:
    assert call_blocks(ToolCall("1", "T", arguments)) == blocks


def test_a_command_in_words_is_shown_as_it_was_typed() -> None:
    call = ToolCall("1", "shell", {"command": ["bash", "-lc", "pytest -q tests"], "timeout": 5})
    assert call_summary(call) == "shell: pytest -q tests"
    assert call_blocks(call)[-1] == ("command", "pytest -q tests", "bash")
    plain = ToolCall("1", "shell", {"command": ["git", "status"]})
    assert call_summary(plain) == "shell: git status"
