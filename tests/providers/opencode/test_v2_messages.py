"""Messages of OpenCode 2, kind by kind."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Blob, Extension, Reasoning, Text, ToolCall, ToolCallResponse, Turn
from dejavu.providers.opencode.v2_messages import turns

CALL = {"type": "tool", "id": "c1", "name": "bash"}


def told(kind: str, **data: Any) -> list[Turn]:
    drift: Counter[str] = Counter()
    found = list(turns(kind, data, drift))
    assert not drift
    return found


def test_a_prompt_with_its_files() -> None:
    files = [{"uri": "data:image/png;base64,AA", "mime": "image/png"}, {"uri": "file:///a"}]
    (turn,) = told("user", text="look", files=files)
    assert turn.role == "user"
    assert turn.parts == (
        Text("look"),
        Blob("image/png", "AA", "image"),
        Extension("opencode.file", {"uri": "file:///a"}),
    )
    assert told("user", text="") == []


def test_an_answer_in_order_with_what_its_tools_gave() -> None:
    done = {
        "status": "completed", "input": {"command": "ls"}, "metadata": {"diff": "@@"},
        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
    }  # fmt: skip
    said = told(
        "assistant",
        model={"id": "m", "providerID": "p"},
        tokens={"input": 1, "output": 2},
        content=[
            {"type": "reasoning", "text": "hm"},
            {**CALL, "state": done},
            {"type": "text", "text": "done"},
        ],
    )
    assert [turn.role for turn in said] == ["assistant", "tool", "assistant"]
    assert said[0].parts == (Reasoning("hm"), ToolCall("c1", "bash", {"command": "ls"}))
    assert said[1].parts[0] == ToolCallResponse("c1", "a\nb")
    assert said[1].parts[1] == Extension("opencode.diff", {"path": None, "diff": "@@"})
    assert said[2].parts == (Text("done"),)
    assert [turn.model for turn in said] == ["m", None, "m"]
    assert said[0].usage is not None
    assert said[2].usage is None


@pytest.mark.parametrize(
    ("state", "given", "answer"),
    [
        ({"status": "streaming", "input": '{"a": 1}'}, {"a": 1}, None),
        ({"status": "pending", "input": '{"a'}, '{"a', None),
        ({"status": "running", "input": {"a": 1}}, {"a": 1}, None),
        (
            {"status": "error", "input": {}, "error": {"type": "x", "message": "no"}},
            {},
            ToolCallResponse("c2", "no", True),
        ),
        (
            {"status": "completed", "input": {}, "content": [], "structured": {"n": 1}},
            {},
            ToolCallResponse("c2", {"n": 1}),
        ),
    ],
)
def test_calls_in_every_state(state: dict[str, Any], given: Any, answer: Any) -> None:
    said = told("assistant", content=[{**CALL, "callID": "c2", "state": state}])
    assert said[0].parts == (ToolCall("c2", "bash", given),)
    assert [turn.parts[0] for turn in said[1:]] == ([] if answer is None else [answer])


def test_what_nobody_said() -> None:
    assert [turn.role for kind in ("system", "synthetic", "skill") for turn in told(kind, text="x")]
    (shell,) = told("shell", command="ls", output={"output": "a", "size": 1}, exit=0)
    assert shell.parts[0] == Extension(
        "opencode.shell", {"command": "ls", "output": "a", "exit": 0}
    )
    (summary,) = told("compaction", status="completed", summary="so far")
    assert summary.meta == {"compact_summary": True}
    assert told("compaction", status="running", summary="") == []
    (failed,) = told("compaction", status="failed", error={"type": "x", "message": "no"})
    assert failed.text == "no"
    assert told("idle", outcome="succeeded") == told("model-switched", model={"id": "m"}) == []


def test_unknown_kinds_are_kept_and_counted() -> None:
    drift: Counter[str] = Counter()
    (turn,) = turns("oracle", {"says": 1}, drift)
    assert turn.parts == (Extension("opencode.oracle", {"says": 1}),)
    assert list(turns("assistant", {"content": [{"type": "vision"}]}, drift))
    assert drift == {"message/oracle": 1, "content/vision": 1}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
_KEYS = st.sampled_from(["text", "content", "files", "state", "error", "summary", "output"])


@given(
    kind=st.sampled_from(["user", "assistant", "shell", "compaction", "system", "x"]),
    data=st.dictionaries(_KEYS, _JSON | st.lists(st.dictionaries(_KEYS, _JSON), max_size=3)),
)
def test_never_raises(kind: str, data: dict[str, Any]) -> None:
    list(turns(kind, data, Counter()))
