"""Pi's entries."""

from typing import Any


def entry(n: int, role: str, content: Any, **fields: Any) -> dict[str, Any]:
    message = {"role": role, "content": content, **fields}
    return {"type": "message", "id": f"e{n}", "parentId": f"e{n - 1}", "message": message}


def test_both_branches_stay_in_the_order_they_were_written(parse: Any) -> None:
    first, second = entry(1, "user", "one"), entry(2, "user", "two") | {"parentId": "e0"}
    book, _ = parse("pi", [first, second])
    assert [(turn.text, turn.parent) for turn in book.turns["native"]] == [
        ("one", "e0"),
        ("two", "e0"),
    ]


def test_commands_of_the_person_diffs_and_other_roles(parse: Any) -> None:
    records = [
        entry(1, "bashExecution", None, command="ls", output="7", exitCode=0),
        entry(
            2,
            "toolResult",
            [{"type": "text", "text": "ok"}],
            toolCallId="c",
            details={"diff": "-6\n+7"},
        ),
        entry(3, "frog", "words"),
        {"type": "custom_message", "id": "e4", "content": "from an extension"},
    ]
    book, _ = parse("pi", records)
    turns = book.turns["native"]
    assert [turn.role for turn in turns] == ["system", "tool", "system", "system"]
    assert turns[0].parts[0].data == {"command": "ls", "output": "7", "exitCode": 0}
    assert turns[1].parts[1].data == {"diff": "-6\n+7"}
