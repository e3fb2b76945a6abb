"""Secrets split over texts: blocks, strings, turns."""

import base64
import random
import string

import pytest

from dejavu.model import Conversation, Role, Text, ToolCall, ToolCallResponse, Turn
from dejavu.redact import Redactor
from dejavu.redact.conversation import redact_conversation, redact_turn, redact_turns, redact_value
from dejavu.redact.split_secrets import gaps, mark_split

REDACT = Redactor(b"key").redact
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SECRET = "wJ1rXUtnFEMI/K7MDENGabPxRfiCYzzzLEKEYa1+"
BODY = base64.b64encode(random.Random(5).randbytes(480)).decode()
KEY = [
    "-----BEGIN RSA " + "PRIVATE KEY-----",
    *(BODY[at : at + 64] for at in range(0, len(BODY), 64)),
    "-----END RSA " + "PRIVATE KEY-----",
]


def turn(number: int, *parts: Text | ToolCall | ToolCallResponse) -> Turn:
    return Turn(seq=number, role=Role.ASSISTANT, parts=parts)


@pytest.mark.fault("M-halves")
@pytest.mark.parametrize("at", [3, 10, 20, 33, 37])
def test_a_token_split_in_two_goes_from_both(at: int) -> None:
    first, second = mark_split([f"it is {TOKEN[:at]}", f"{TOKEN[at:]} and works"], REDACT)
    mark = REDACT(TOKEN)
    assert (first, second) == (f"it is {mark}", f"{mark} and works")


@pytest.mark.fault("M-halves")
def test_a_token_over_many_strings_goes() -> None:
    pieces = [TOKEN[at : at + 7] for at in range(0, len(TOKEN), 7)]
    clean = redact_value({"chunks": ["token ", *pieces, " end"]}, REDACT)
    assert not [piece for piece in pieces if piece in repr(clean)]
    assert (clean["chunks"][0], clean["chunks"][-1]) == ("token ", " end")


@pytest.mark.fault("M-halves")
@pytest.mark.parametrize("before", ["", "+", "{n:6}\t", " "])
def test_a_key_in_lines_of_a_list_goes(before: str) -> None:
    lines = [before.format(n=n) + line for n, line in enumerate(KEY, 1)]
    clean = redact_value({"lines": lines, "path": "src/a.py"}, REDACT)
    assert clean["path"] == "src/a.py"
    assert not [line for line in KEY[1:-1] if line[:16] in repr(clean)]


@pytest.mark.fault("M-halves")
def test_a_key_read_in_two_turns_goes_and_what_is_between_stays() -> None:
    turns = [
        turn(0, ToolCallResponse("1", "\n".join(KEY[:5]))),
        turn(1, Text("I read the rest."), ToolCall("2", "Read", {"path": "src/keys/mine", "offset": 5})),
        turn(2, ToolCallResponse("2", "\n".join(KEY[5:]))),
    ]  # fmt: skip
    clean = list(redact_turns(turns, REDACT))
    assert not [line for line in KEY[1:-1] if line[:16] in repr(clean)]
    assert clean[1] is turns[1]


@pytest.mark.fault("M-halves")
def test_a_secret_in_the_turn_after_its_id_goes() -> None:
    turns = (
        turn(0, Text("the id is AKIA" + "ABCDEFGH23456789")),
        turn(1, Text(f"and this: {SECRET}")),
    )
    clean = redact_conversation(
        Conversation(id="1", agent="claude", title=turns[0].text, turns=turns), REDACT
    )
    assert SECRET not in repr(clean)


def test_texts_that_only_follow_each_other_stay() -> None:
    texts = [
        TOKEN,
        "b",
        "the api_key",
        "is read from the file",
        "I look for -----BEGIN RSA " + "PRIVATE KEY----- in files,",
        "and for the end of it: -----END RSA " + "PRIVATE KEY-----",
        "A" * 300,
    ]
    assert mark_split(texts, REDACT) == texts
    whole = turn(0, Text("nothing"), Text("here"))
    assert redact_turn(whole, REDACT) is whole


def test_long_texts_are_read_at_their_ends() -> None:
    long = "some words of a text " * 1000
    first, second = mark_split([long + TOKEN[:20], TOKEN[20:] + " " + long], REDACT)
    assert TOKEN[4:20] not in first
    assert TOKEN[20:] not in second
    assert first.startswith(long)
    assert second.endswith(long)


def drawn(length: int, seed: int) -> str:
    return "".join(random.Random(seed).choices(string.ascii_letters + string.digits, k=length))


WHOLE = [
    "ghp_" + drawn(36, 1), "hvs." + drawn(90, 2), "npm_" + drawn(36, 3), "hf_" + drawn(34, 4),
    "xoxb-" + "987451230165-104785236914-" + drawn(24, 5), "sk-proj-" + drawn(48, 6),
]  # fmt: skip


@pytest.mark.fault("M-halves")
@pytest.mark.parametrize("second", WHOLE)
@pytest.mark.parametrize("first", WHOLE)
def test_of_two_secrets_that_follow_each_other_no_piece_stays(first: str, second: str) -> None:
    """The first rule read on into the second, and took its beginning, by which it is known."""
    turns = [turn(0, ToolCallResponse("1", first)), turn(1, ToolCallResponse("2", second))]
    clean = repr(list(redact_turns(turns, REDACT)))
    assert not [token for token in (first, second) if token[-12:] in clean or token[8:20] in clean]


@pytest.mark.fault("M-halves")
@pytest.mark.parametrize("at", [6, 14, 30])
@pytest.mark.parametrize("token", ["AKIA" + "Q7XWJ4MPL2ZRT6KD", *WHOLE])
def test_blocks_that_say_their_type_are_read_together(token: str, at: int) -> None:
    at = min(at, len(token) - 4)
    blocks = [{"type": "text", "text": text} for text in (f"it is {token[:at]}", token[at:])]
    clean = redact_value(blocks, REDACT)
    assert token[at:] not in repr(clean)
    assert [block["type"] for block in clean] == ["text", "text"]


def test_a_gap_between_pieces_that_may_be_in_two_places_is_taken_whole() -> None:
    label = "[redacted:password:0123abcd]"
    (first, second) = gaps("pw a b c d end", f"pw {label} {label} end")
    assert "pw a b c d end"[first.start : first.end].startswith("a b")
    assert "pw a b c d end"[second.start : second.end].endswith("c d")


@pytest.mark.fault("h1")
@pytest.mark.parametrize("turns", [1, 4, 8])
@pytest.mark.parametrize("first", ["id", "secret"])
def test_a_secret_goes_whose_id_is_in_a_turn_near_it(turns: int, first: str) -> None:
    key_id = "AKIA" + "Q3EGXZ7LMNOPWR5T"
    texts = [f"{'a word ' * 900}{key_id}{' a word' * 900}", *["ok"] * (turns - 1)]
    texts.append("line\n" * 900 + SECRET + "\nline" * 900)
    if first == "secret":
        texts.reverse()
    clean = [*redact_turns([turn(at, Text(text)) for at, text in enumerate(texts)], REDACT)]
    assert "[redacted:aws-secret:" in str(clean)
    assert SECRET not in str(clean)


@pytest.mark.fault("h1")
@pytest.mark.parametrize(
    "run",
    ["da39a3ee5e6b4b0d3255bfef95601890afd80709", "src/dejavu/interfaces/web/conversation/views",
     "6f1ed002-ab5c-4d91-8f0a-2d61ad1ae6a1"],
)  # fmt: skip
def test_digests_and_paths_far_from_an_id_stay(run: str) -> None:
    turns = [turn(0, Text("AKIA" + "Q3EGXZ7LMNOPWR5T")), turn(1, Text("x\n" * 20 + run))]
    assert str([*redact_turns(turns, REDACT)]).count(run) == 1


def test_turns_come_out_in_order_and_all(  # those near an id wait for the turns behind them
) -> None:
    turns = [turn(at, Text(f"text {at}")) for at in range(100)]
    assert [*redact_turns(turns, REDACT)] == turns
