"""Secrets that an exported text holds in another form."""

import base64
import binascii

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Conversation, Role, ToolCallResponse, Turn
from dejavu.redact import Redactor
from dejavu.redact.conversation import CountingRedactor, redact_conversation, redact_value
from dejavu.redact.encoded_secrets import mark_encoded

REDACT = Redactor(b"key").redact
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
MARK = REDACT(TOKEN)
LINES = f"HOST=db\nexport GITHUB_TOKEN={TOKEN}\nPORT=1\n".encode()


def xxd(data: bytes) -> str:
    rows: list[str] = []
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        groups = " ".join(part[pair : pair + 2].hex() for pair in range(0, len(part), 2))
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        rows.append(f"{at:08x}: {groups:<39}  {shown}")
    return "\n".join(rows) + "\n"


def od_c(data: bytes) -> str:
    cells = [r"\n" if byte == 10 else chr(byte) for byte in data]
    rows = [
        f"{at:07o}" + "".join(f"{cell:>4}" for cell in cells[at : at + 16])
        for at in range(0, len(data), 16)
    ]
    return "\n".join([*rows, f"{len(data):07o}\n"])


def wrapped(code: bytes) -> str:
    text = code.decode()
    return "\n".join(text[at : at + 76] for at in range(0, len(text), 76)) + "\n"


FORMS = {
    "xxd": xxd(LINES),
    "od -c": od_c(LINES),
    "base32": wrapped(base64.b32encode(LINES)),
    "base32 -w0": base64.b32encode(LINES).decode(),
    "hex": binascii.hexlify(LINES).decode(),
    "percent": "".join(f"%{byte:02X}" for byte in TOKEN.encode()),
    "literals": f'token = "{TOKEN[:20]}" + "{TOKEN[20:]}"',
    "literals over lines": f'token = (\n    "{TOKEN[:20]}"\n    "{TOKEN[20:]}"\n)',
    "strings of JSON": f'{{"parts": ["{TOKEN[:20]}", "{TOKEN[20:]}"]}}',
    "numbers": f"data = {list(TOKEN.encode())}",
    "bold": f"{TOKEN[:20]}**{TOKEN[20:]}**",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_goes_from_a_tools_text_in_every_form(form: str) -> None:
    text = f"$ show it\n{FORMS[form]}\n$ echo done\n"
    turn = Turn(seq=0, role=Role.TOOL, parts=(ToolCallResponse("call", text),))
    conversation = Conversation(id="c", agent="claude", native_id="n", workspace="/w")
    clean = redact_conversation(conversation.with_turns((turn,)), REDACT)
    (part,) = clean.turns[0].parts
    assert isinstance(part, ToolCallResponse)
    marked = str(part.response)
    assert marked.count(MARK) == 1
    assert marked.startswith("$ show it\n")
    assert marked.endswith("\n$ echo done\n")
    assert REDACT(mark_encoded(marked, REDACT)) == marked


@pytest.mark.parametrize("form", FORMS)
def test_the_guards_values_are_read_so_too(form: str) -> None:
    assert MARK in redact_value({"stdout": FORMS[form]}, REDACT)["stdout"]


def test_both_columns_of_a_dump_go() -> None:
    marked = mark_encoded(xxd(LINES), REDACT)
    for column in (TOKEN[20:30], TOKEN.encode()[20:22].hex()):
        assert column not in marked
    assert marked.splitlines()[0] == xxd(LINES).splitlines()[0]


def test_a_secret_is_counted_once() -> None:
    counting = CountingRedactor(REDACT)
    mark_encoded(xxd(LINES), counting.redact)
    assert counting.total == 1


@pytest.mark.parametrize(
    "text",
    [
        "plain words, and more of them, in a sentence that says nothing",
        xxd(b"HOST=db\nPORT=5432\nDEBUG=1\nNAME=shop\n"),
        wrapped(base64.b64encode(b"a readme that anyone may read, twice as long " * 6)),
        'x = "first part of a sentence" + " and the second part"',
        "e = m * c**2 + alpha**beta",
    ],
)
def test_ordinary_texts_stay(text: str) -> None:
    assert mark_encoded(text, REDACT) is text or mark_encoded(text, REDACT) == text


@given(
    st.integers(0, 6000),
    st.sampled_from(["xxd", "base32", "literals over lines", "strings of JSON"]),
    st.integers(0, 200),
)
def test_a_form_is_found_wherever_it_is(before: int, form: str, words: int) -> None:
    text = "a line of words\n" * (before // 16) + FORMS[form] + "\nand words" * words
    assert MARK in mark_encoded(text, REDACT)


@given(st.text("ab01 \"'+=\n\\x%*[],ghp_" + TOKEN[4:20], max_size=120))
def test_marking_twice_changes_nothing(text: str) -> None:
    once = REDACT(mark_encoded(text, REDACT))
    assert REDACT(mark_encoded(once, REDACT)) == once


def test_a_row_joined_to_an_id_does_not_hide_the_secret_below_it() -> None:
    known = "GOOG1E" + "O9NM69NE22M2NKV0R3ARNC6FH587M7FZ8GEY508QNEJ7CGMBLGESTU1"
    secret = "H8foetW7GkvKsY+DM2Dm8+bWzdklVnboZFPDlatc"
    assert secret[2:] not in mark_encoded(f"{known}\n{secret}", REDACT)
