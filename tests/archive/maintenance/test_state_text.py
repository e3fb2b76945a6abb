"""What was said goes out of a parser's state, what it needs to go on stays."""

import msgspec

from dejavu.archive.maintenance.state_text import without_text


def test_text_is_blanked_and_everything_else_stays() -> None:
    inner = msgspec.msgpack.encode({"text": "hello", "n": [1, 2.5, None]})
    state = [
        "Parser/1",
        {"id": "x1", "title": "Frogs", "workspace": "/my work/x", "open": {"m1": ["a b", "c"]}},
        {"seq": 3, "parts": [{"type": "text"}], "spans": [[0, 5]]},
        inner,
        b"half a rec",
    ]
    blanked = msgspec.msgpack.decode(without_text(msgspec.msgpack.encode(state)) or b"")
    assert blanked == [
        "Parser/1",
        {"id": "x1", "title": "", "workspace": "/my work/x", "open": {"m1": ["", "c"]}},
        {"seq": 3, "parts": [], "spans": [[0, 5]]},
        msgspec.msgpack.encode({"text": "", "n": [1, 2.5, None]}),
        b"half a rec",
    ]


def test_what_is_no_msgpack_is_said_to_be_none() -> None:
    assert without_text(b"\xc1") is None
