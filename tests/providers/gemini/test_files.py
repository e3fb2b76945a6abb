"""Gemini's patch log."""

import json
from typing import Any

import pytest


def user(native: str, words: str) -> dict[str, Any]:
    return {"id": native, "type": "user", "content": [{"text": words}]}


def model(native: str, words: str, **fields: Any) -> dict[str, Any]:
    return {"id": native, "type": "gemini", "content": words, **fields}


def texts(book: Any) -> list[str]:
    return [turn.text for turn in book.turns["native"]]


HEAD = {"sessionId": "native", "startTime": "2026-03-01T10:00:00Z"}


def test_a_message_written_again_replaces_itself_in_its_place(parse: Any) -> None:
    book, _ = parse(
        "gemini", [HEAD, user("a", "1"), model("b", "2"), user("c", "3"), model("b", "two")]
    )
    assert texts(book) == ["1", "two", "3"]


def test_a_set_that_leaves_messages_out_drops_none(parse: Any) -> None:
    patch = {"$set": {"messages": [user("a", "1"), user("d", "4")]}}
    book, _ = parse("gemini", [HEAD, user("a", "1"), model("b", "2"), user("c", "3"), patch])
    assert texts(book) == ["1", "2", "3", "4"]


def test_rewinding_is_told_and_takes_nothing_back(parse: Any) -> None:
    book, _ = parse(
        "gemini", [HEAD, user("a", "1"), user("b", "2"), {"$rewindTo": "b"}, user("c", "3")]
    )
    assert texts(book) == ["1", "2", "", "3"]


def test_changes_too_far_back_leave_what_is_there(parse: Any) -> None:
    book, parser = parse("gemini", [HEAD, *(user(str(n), str(n)) for n in range(80))])
    from dejavu.providers import PROVIDERS

    resumed = PROVIDERS["gemini"].parser(parser.source, parser.state())
    resumed.feed(b'{"id": "3", "type": "user", "content": "three"}\n', 10_000)
    resumed.feed(b'{"id": "79", "type": "user", "content": "last"}\n', 20_000)
    book.take(resumed)
    assert (texts(book)[3], texts(book)[79], len(texts(book))) == ("3", "last", 80)


def test_what_the_person_saw_is_the_prompt(parse: Any) -> None:
    told = {**user("a", "@frogs.txt\n--- content ---"), "displayContent": [{"text": "@frogs.txt"}]}
    book, _ = parse("gemini", [HEAD, told])
    assert texts(book) == ["@frogs.txt"]
    assert book.turns["native"][0].parts[1].kind == "gemini.sent"


def test_sub_agents_and_hashes_of_folders(tmp_path: Any, read_home: Any) -> None:
    import hashlib
    import json

    name = hashlib.sha256(b"/work/pond").hexdigest()
    chats = tmp_path / ".gemini" / "tmp" / name / "chats"
    (chats / "parent-1").mkdir(parents=True)
    (tmp_path / ".gemini" / "projects.json").write_text('{"projects": {"/work/pond": "pond"}}')
    lines = "".join(
        json.dumps(one) + "\n" for one in [{**HEAD, "sessionId": "child"}, user("a", "1")]
    )
    (chats / "parent-1" / "session-x.jsonl").write_text(lines)
    book = read_home("gemini", tmp_path)
    assert book.heads["child"].workspace == "/work/pond"
    assert book.heads["child"].relation == "subagent"


CONTEXT = user("ctx", "<session_context> today </session_context>")
CALL = {"id": "t1", "name": "shell", "args": {"command": "sleep 9"}}
RESULT = [{"functionResponse": {"id": "t1", "name": "shell", "response": {"output": "Friday"}}}]
HISTORY = [
    CONTEXT,
    user("a", "run it"),
    model("b", "Running.", thoughts=[{"subject": "Hm", "description": "yes"}], toolCalls=[CALL]),
    user("c", "yes"),
    model("d", "Done."),
    user("e", "yes"),
    model("f", "Again."),
]


def rewritten(native: str, message: dict[str, Any]) -> dict[str, Any]:
    """A message as it is in a history that was written anew."""
    content = message["content"]
    parts = [{"text": content}] if isinstance(content, str) else [*content]
    calls = message.get("toolCalls", [])
    parts += [{"functionCall": {**call, "id": f"new-{call['id']}"}} for call in calls]
    return {"id": f"{native}{message['id']}", "type": message["type"], "content": parts}


@pytest.mark.fault("1.13")
def test_a_history_set_anew_under_other_ids_adds_nothing(parse: Any) -> None:
    """1.13: after a cancelled tool."""
    anew = [rewritten("x", message) for message in HISTORY]
    cancelled = user("g", "stop")
    later = [*anew, cancelled, model("h", "Stopped.")]
    book, _ = parse("gemini", [HEAD, *HISTORY, {"$set": {"messages": anew}}])
    before = texts(book)
    assert before[1:] == ["run it", "Running.", "yes", "Done.", "yes", "Again."]
    records = [
        HEAD,
        *HISTORY,
        {"$set": {"messages": anew}},
        cancelled,
        {"$set": {"messages": later}},
    ]
    book, _ = parse("gemini", records)
    assert texts(book) == [*before, "stop", "Stopped."]


def test_a_history_appended_anew_under_other_ids_adds_nothing(parse: Any) -> None:
    """1.13: message by message, then the list of those that count."""
    anew = [rewritten("x", message) for message in HISTORY]
    said = ["run it", "Running.", "yes", "Done.", "yes", "Again."]
    for last in (
        {"$set": {"messages": anew}},
        {"$patch": {"removeIds": [message["id"] for message in HISTORY]}},
        {"$patch": {"orderIds": [message["id"] for message in anew], "removeIds": ["ctx"]}},
    ):
        book, _ = parse("gemini", [HEAD, *HISTORY, *anew, last, user("y", "yes")])
        assert texts(book)[1:] == [*said, "yes"], last


def test_refusing_twice_tells_nothing_again(parse: Any) -> None:
    """0.61: calls are written without, then with their arguments; a copy joins context and prompt."""
    call = {"id": "t1", "name": "shell", "args": {"command": "date"}, "result": RESULT}
    first = [
        CONTEXT, user("a", "run it"), model("b", ""), model("b", "", toolCalls=[call]),
        {"id": "r", "type": "user", "content": RESULT}, model("c", "Done."),
    ]  # fmt: skip
    second = [user("d", "which one"), model("e", "This one.")]

    def copied(native: str, *later: dict[str, Any]) -> list[dict[str, Any]]:
        joined = [*CONTEXT["content"], {"text": "run it"}]
        asked = {"functionCall": {key: call[key] for key in ("id", "name", "args")}}
        return [
            {"id": f"{native}0", "type": "user", "content": joined},
            {"id": f"{native}1", "type": "gemini", "content": [asked]},
            {"id": f"{native}2", "type": "user", "content": RESULT},
            {"id": f"{native}3", "type": "gemini", "content": [{"text": "Done."}]},
            *({**one, "id": f"{native}{one['id']}"} for one in later),
        ]

    refused = [user("x", "no"), {"id": "i", "type": "info", "content": "Request cancelled."}]
    again = [user("y", "no"), {"id": "j", "type": "info", "content": "Request cancelled."}]
    records: list[dict[str, Any]] = [HEAD, *first, *refused]
    records += [*copied("m"), {"$set": {"messages": copied("m")}}, *second, *again]
    records += [*copied("n", *second), {"$set": {"messages": copied("n", *second)}}]
    book, _ = parse("gemini", [*records, user("z", "go on")])
    cancelled = "Request cancelled."
    said = ["run it", "Done.", "no", cancelled, "which one", "This one.", "no", cancelled, "go on"]
    assert [text for text in texts(book)[1:] if text] == said
    assert [turn.role for turn in book.turns["native"]].count("tool") == 1


def test_a_prompt_sent_again_after_a_failure_is_two(parse: Any) -> None:
    failed = user("c", "yes")
    patch = {"$set": {"messages": [CONTEXT, user("a", "1"), model("b", "2")]}}
    again = [user("d", "yes"), model("e", "3")]
    after = {"$set": {"messages": [CONTEXT, user("a", "1"), model("b", "2"), *again]}}
    book, _ = parse(
        "gemini", [HEAD, CONTEXT, user("a", "1"), model("b", "2"), failed, patch, *again, after]
    )
    assert texts(book)[1:] == ["1", "2", "yes", "yes", "3"]


def test_a_compressed_history_takes_nothing_back(parse: Any) -> None:
    summary = user("s", "<state_snapshot> all of it </state_snapshot>")
    patch = {"$set": {"messages": [summary, user("t", "yes"), model("u", "4")]}}
    book, _ = parse("gemini", [HEAD, *HISTORY, patch])
    assert texts(book)[-4:] == ["Again.", texts(book)[-3], "yes", "4"]


def test_a_patch_changes_messages_in_their_place(parse: Any) -> None:
    patch = {"$patch": {"updates": [{"id": "b", "toolCalls": [{"id": "t1", "result": "masked"}]}]}}
    book, _ = parse("gemini", [HEAD, *HISTORY[:3], patch, user("z", "2")])
    (result,) = (turn for turn in book.turns["native"] if turn.role == "tool")
    assert result.parts[0].response == "masked"
    assert texts(book)[-1] == "2"


def _called(number: int) -> dict[str, Any]:
    answer = {"functionResponse": {"id": f"t{number}", "response": {"output": f"r{number}"}}}
    return {
        "id": f"t{number}",
        "name": "shell",
        "args": {"command": str(number)},
        "result": [answer],
    }


def _ids(book: Any) -> list[str]:
    """Texts, and of calls and results their ids."""
    parts = [part for turn in book.turns["native"] for part in turn.parts]
    return [getattr(part, "id", None) or part.content for part in parts]


def test_calls_gathered_in_one_message_stand_where_each_was_made(parse: Any) -> None:
    """Gemini's ACP mode writes all of a session's calls into the first message that had one."""
    records = [HEAD]
    for number in range(60):  # more than are held
        calls = [_called(one) for one in range(number + 1)]
        records += [
            user(f"u{number}", f"do {number}"),
            model(f"m{number}", f"doing {number}"),
            model("all", "", toolCalls=calls),
            model(f"n{number}", f"done {number}"),
        ]
    wanted = [
        one
        for number in range(60)
        for one in (f"do {number}", f"doing {number}", f"t{number}", f"t{number}", f"done {number}")
    ]
    book, parser = parse("gemini", records)
    assert _ids(book) == wanted
    from dejavu.providers import PROVIDERS

    resumed = PROVIDERS["gemini"].parser(parser.source, parser.state())
    more = model("all", "", toolCalls=[_called(one) for one in range(61)])
    patch = {"$patch": {"updates": [{"id": "all", "toolCalls": [{"id": "t59", "result": "gone"}]}]}}
    lines = b"".join(json.dumps(one).encode() + b"\n" for one in (more, patch))
    resumed.feed(lines, 1 << 20)
    book.take(resumed)
    assert _ids(book) == [*wanted, "t60", "t60"]


def test_a_call_that_joins_the_last_message_stays_in_it(parse: Any) -> None:
    told = [user("a", "go"), model("b", "Going."), {"id": "i", "type": "info", "content": "hm"}]
    book, _ = parse("gemini", [HEAD, *told, model("b", "Going.", toolCalls=[_called(1)])])
    assert _ids(book) == ["go", "Going.", "t1", "t1", "hm"]


def test_a_call_in_the_history_and_in_a_message_of_its_own_is_one(parse: Any) -> None:
    call = {"functionCall": {"id": "t1", "name": "shell", "args": {"command": "1"}}}
    anew = [
        user("a", "go"),
        {**model("b", ""), "content": [{"text": "Going."}, call]},
        {"id": "r", "type": "user", "content": [_called(1)["result"][0]]},
        model("c", "Gone."),
    ]
    told = [
        user("a", "go"),
        model("b", "Going."),
        model("all", "", toolCalls=[_called(1)]),
        *anew[2:],
    ]
    book, _ = parse("gemini", [HEAD, *told, {"$set": {"messages": anew}}])
    assert _ids(book) == ["go", "Going.", "t1", "t1", "Gone."]
