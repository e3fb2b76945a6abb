import json
from typing import Any

import pytest

from dejavu.model import Role, Vector
from dejavu.sessions.observer.stream import StreamFollower

HEADER: dict[str, Any] = {
    "id": "20261121-1", "agent": "claude", "instance": "local", "workspace": "/w",
    "started_at": 5.0,
    "argv": ["claude", "-p", "hello there", "--output-format", "stream-json", "--verbose"],
}  # fmt: skip

_ROWS = [
    {"type": "system", "subtype": "init", "session_id": "s-1", "cwd": "/w", "model": "m"},
    {
        "type": "assistant",
        "session_id": "s-1",
        "message": {
            "id": "m1",
            "role": "assistant",
            "model": "m",
            "content": [{"type": "text", "text": "Hi!"}],
        },
    },
    {"type": "result", "subtype": "success", "session_id": "s-1", "result": "Hi!"},
]
_STREAM = "".join(json.dumps(row) + "\n" for row in _ROWS).encode()


@pytest.mark.parametrize("cut", [1, 7, 100, 10_000])
def test_a_stream_becomes_a_conversation(cut: int) -> None:
    follower = StreamFollower(HEADER)
    for at in range(0, len(_STREAM), cut):
        follower.feed(_STREAM[at : at + cut], 6.0)
    whole = follower.conversation(9.0)
    assert whole is not None
    assert (whole.native_id, whole.vectors, whole.workspace) == ("s-1", (Vector.STREAM,), "/w")
    assert [(turn.role, turn.text) for turn in whole.turns] == [
        (Role.USER, "hello there"),
        (Role.ASSISTANT, "Hi!"),
    ]


def test_plain_text_is_not_a_stream() -> None:
    follower = StreamFollower(HEADER)
    follower.feed(b"Hi!\n" + _STREAM, 6.0)
    assert follower.conversation(9.0) is None


def test_agents_without_streams_and_silence_give_nothing() -> None:
    follower = StreamFollower({**HEADER, "agent": "nobody"})
    follower.feed(_STREAM, 6.0)
    assert follower.conversation(9.0) is None
    assert StreamFollower(HEADER).conversation(9.0) is None
