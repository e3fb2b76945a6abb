import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.redact import Redactor
from dejavu.redact.joined_text import may_go_on, uncut

REDACTOR = Redactor(b"key")
FIRST, REST = "pQ8Zr3Tk9LwX2vBn", "7mYc4HsJd6FgA1eU5oRiKq"


@pytest.mark.parametrize(
    "text",
    [
        "aws_secret_access_key = {}\n{}",
        '"SecretAccessKey": "{}\n{}", "next": 1',
        '{{\\"apiKey\\": \\"{}\n{}\\"}}',
        "https://deploy:{}\n{}@git.internal/acme/app.git",
        "AccountName=acme;AccountKey={}\n{};EndpointSuffix=x",
        "curl -H 'Authorization: Bearer {}\n{}' https://x",
        "  client_secret: {}\n    {}\n  next: 1",
        "password={}\r\n{}\r\n",
    ],
)  # fmt: skip
def test_a_value_with_a_name_is_masked_over_a_line_end(text: str) -> None:
    out = REDACTOR.redact(text.format(FIRST, REST))
    assert FIRST[-8:] not in out
    assert REST[:10] not in out


@pytest.mark.parametrize("cut", [5, 10, 20])
def test_a_token_known_by_its_middle_is_masked_over_a_line_end(cut: int) -> None:
    token = "1544242867:AA" + "fpHMAxx5gag5tjZesWqvqU5KZxCCoh3D7"
    out = REDACTOR.redact(f"I used {token[:cut]}\n{token[cut:]} for the call")
    assert token[cut : cut + 10] not in out
    assert out.startswith("I used [redacted:telegram:")
    assert out.endswith(" for the call")


@pytest.mark.parametrize(
    "text",
    [
        "the password\nretry_budget2x is here",
        "token: none\n2026-11-27 10:00:00 built",
        "api_key = os.environ\nx86_64-linux-gnu",
        "password: short1\nd41d8cd98f00b204e9800998ecf8427e\n",
        f"key=abc12345\n{REST}: is a name",
        f"key=abc12345\n{REST} is in a sentence",
    ],
)  # fmt: skip
def test_what_follows_a_name_stays_where_it_is_something_else(text: str) -> None:
    assert REDACTOR.redact(text) == text


@given(st.text(alphabet="aB3-/: \n\r\t=", max_size=80), st.integers(0, 80), st.integers(0, 60))
def test_each_character_of_an_uncut_text_is_known(text: str, at: int, before: int) -> None:
    at = min(at, len(text))
    whole = uncut(text, at, before)
    if whole is not None:
        assert whole.cuts
        assert [text[whole.place(nth)] for nth in range(len(whole.text))] == list(whole.text)
        # What was asked for may be a line end that is left out.
        assert whole.at == len(whole.text) or whole.place(whole.at) >= at


def test_only_what_is_no_word_may_go_on() -> None:
    assert may_go_on(f"key = {FIRST}\n")
    assert not may_go_on("in plain words\n")
    assert not may_go_on(f"{FIRST}, and\n")


def test_a_stream_masks_what_a_line_end_cut_before_any_rule_knows_it() -> None:
    text = f"plain\nclient_secret: {FIRST[:8]}\n{REST}\nand on\n"
    stream = REDACTOR.lines()
    out = "".join(map(stream.feed, text.splitlines(keepends=True))) + stream.close()
    assert out == REDACTOR.redact(text)
    assert REST[:10] not in out
