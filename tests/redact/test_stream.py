import random
import string

from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.redact import RedactedLines, Redactor

REDACTOR = Redactor(b"key")
TOKEN = "ghp_" + "".join(random.Random(3).choices(string.ascii_letters + string.digits, k=36))
BODY = "".join(random.Random(4).choices(string.ascii_letters + string.digits, k=64))
WORDS = "RSA PRIVATE KEY"
PEM = f"-----BEGIN {WORDS}-----\n{BODY}\n{BODY}\n-----END {WORDS}-----\n"


@given(
    st.lists(
        st.sampled_from(
            ["plain\n", TOKEN + "\n", f"x={TOKEN} y\n", PEM, "tail ", BODY[:20] + "\n"]
        ),
        max_size=8,
    ),
    st.randoms(use_true_random=False),
)
@settings(max_examples=100, deadline=None)
def test_pieces_never_matter(parts: list[str], rng: random.Random) -> None:
    # "tail" ends with a blank: a token glued to a word may be known from later lines alone.
    text = "".join(parts)
    stream = REDACTOR.lines()
    out, position = "", 0
    while position < len(text):
        size = rng.randint(1, 60)
        out += stream.feed(text[position : position + size])
        position += size
    assert out + stream.close() == REDACTOR.redact(text)


def test_a_line_is_held_until_it_is_whole() -> None:
    stream = REDACTOR.lines()
    assert stream.feed("first\nsecond " + TOKEN[:20]) == "first\n"
    assert stream.feed(TOKEN[20:] + "\n") == ""  # the next line may begin with the rest of it
    assert stream.feed("third\n") == REDACTOR.redact(f"second {TOKEN}\nthird\n")
    assert stream.close() == ""


def test_the_rest_of_a_token_on_the_next_line_is_masked_in_a_stream_too() -> None:
    text = f"key {TOKEN}\n{BODY[:20]}\nplain\n"
    stream = REDACTOR.lines()
    out = "".join(map(stream.feed, text.splitlines(keepends=True))) + stream.close()
    assert out == REDACTOR.redact(text)
    assert BODY[:20] not in out


def test_a_list_of_tokens_is_not_held_for_ever() -> None:
    stream = REDACTOR.lines()
    out = "".join(stream.feed(f"token {TOKEN}\n") for _ in range(1000))
    assert out.count("[redacted:github:") > 900


def test_a_block_is_held_until_its_end() -> None:
    stream = REDACTOR.lines()
    for line in PEM.splitlines(keepends=True)[:-1]:
        assert stream.feed(line) == ""
    assert stream.feed(PEM.splitlines(keepends=True)[-1]).startswith("[redacted:private-key:")


def test_a_block_without_end_is_let_go_redacted() -> None:
    stream = RedactedLines(REDACTOR.redact)
    head = f"-----BEGIN {WORDS}-----\n"
    out = stream.feed(head + (BODY + "\n") * 2000) + stream.close()
    assert out.count("[redacted:") >= 1
    assert BODY not in out


def test_an_endless_line_is_not_held_for_ever() -> None:
    stream = REDACTOR.lines()
    out = "".join(stream.feed("x" * 4096) for _ in range(300))
    assert len(out) >= 1 << 20
