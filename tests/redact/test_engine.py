import random
import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.redact import RULES, Redactor
from dejavu.redact.conversation import marks

REDACTOR = Redactor(b"archive key", ["hunter2-hunter2"])
MARKER = re.compile(r"\[redacted:([a-z0-9-]+):[0-9a-f]{8}\]")


def letters(count: int, seed: int = 1) -> str:
    return "".join(random.Random(seed).choices(string.ascii_letters + string.digits, k=count))


GITHUB = "ghp_" + letters(36)
SLACK = "-".join(["xoxb", "1" * 12, "2" * 12, letters(24)])

fragments = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from([anchor for rule in RULES for anchor in rule.anchors]),
        st.sampled_from(
            [
                *(GITHUB, SLACK, letters(20), letters(40, 2), letters(64, 3).lower()),
                *("hunter2-hunter2", "=", ": ", '"', " ", "\n", "@host", "://u:", ".", "-", "_"),
                *("[redacted:", "]", "*"),
            ]
        ),
    ),
    max_size=14,
).map("".join)


@given(fragments)
@settings(max_examples=300, deadline=None)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = REDACTOR.redact(text)
    assert REDACTOR.redact(once) == once


@given(fragments, fragments)
@settings(max_examples=100, deadline=None)
def test_a_token_on_its_own_line_never_survives(before: str, after: str) -> None:
    assert f"\n{GITHUB}" not in REDACTOR.redact(f"{before}\n{GITHUB}\n{after}")
    assert "hunter2-hunter2" not in REDACTOR.redact(before + "hunter2-hunter2" + after)


@given(fragments, st.integers(8, 40), st.booleans())
@settings(max_examples=150, deadline=None)
def test_rows_keep_their_number_and_lengths_and_twice_is_once(
    text: str, columns: int, flags: bool
) -> None:
    flat = re.sub(r"\s", " ", text)
    rows = [flat[i : i + columns] for i in range(0, len(flat), columns)]
    wrapped = [True] * len(rows) if flags else None
    once = REDACTOR.redact_rows(rows, columns, wrapped)
    assert [len(row) for row in once] == [len(row) for row in rows]
    assert REDACTOR.redact_rows(once, columns, wrapped) == once


def test_equal_secrets_share_a_mark_and_other_keys_do_not() -> None:
    first = REDACTOR.redact(f"a {GITHUB} b")
    assert MARKER.findall(first) == ["github"]
    assert REDACTOR.redact(GITHUB) in first
    assert Redactor(b"other").redact(GITHUB) not in first


def test_a_marker_does_not_hide_what_stands_beside_or_in_a_forged_one() -> None:
    forged = f"[redacted:{GITHUB}:00000000]"
    assert GITHUB not in REDACTOR.redact(forged)
    assert GITHUB not in REDACTOR.redact(REDACTOR.redact(SLACK) + " " + GITHUB)


def test_the_vendor_names_a_secret_that_a_header_and_a_setting_point_at_too() -> None:
    out = REDACTOR.redact(f"Authorization: Bearer {GITHUB}\nGITHUB_TOKEN={GITHUB}")
    assert MARKER.findall(out) == ["github", "github"]
    assert len(set(re.findall(r"[0-9a-f]{8}(?=\])", out))) == 1


@pytest.mark.parametrize("columns", [40, 80])
def test_a_secret_broken_over_rows_is_masked_in_each(columns: int) -> None:
    line = "the deploy used ".ljust(columns - 11, "x") + " " + SLACK + " for it"
    rows = [line[i : i + columns].ljust(columns) for i in range(0, len(line), columns)]
    for wrapped in (None, [True] * (len(rows) - 1) + [False]):
        out = "".join(REDACTOR.redact_rows(rows, columns, wrapped))
        assert "xoxb" not in out
        assert letters(24)[-8:] not in out
        assert "for it" in out
        assert "[redacted:slack:" in out


def test_one_long_line_costs_what_it_is_long() -> None:
    # Quadratic patterns would take hours on these.
    for seed in (
        "sk-",
        "password=",
        "-eyJaaaaaaaa",
        "://a:",
        "a_live_",
        "secret_",
        "--token===",
        "kind: Secret\n data:\n",
        "KEY\tKEY\t",
        "okta key: ",
        "mongo -p ",
    ):
        REDACTOR.redact(seed * (200_000 // len(seed)))


def test_a_token_that_a_program_broke_over_lines() -> None:
    [(kind, digest, _)] = REDACTOR.findings(GITHUB)
    broken = f"out:\n{GITHUB[:20]}\n  {GITHUB[20:]}\nnext words"
    assert REDACTOR.redact(broken) == f"out:\n[redacted:{kind}:{digest}]\nnext words"
    whole = f"{GITHUB}\nnextword"
    assert REDACTOR.redact(whole) == f"[redacted:{kind}:{digest}]\nnextword"


@pytest.mark.parametrize("escape", ["\\n", "\\r\\n", "\\\\n", "\\t"])
def test_a_token_behind_an_escaped_line_end(escape: str) -> None:
    assert GITHUB not in REDACTOR.redact(f'{{\\"text\\": \\"a{escape}{GITHUB}\\"}}')


REST = "Zq7Lm2Xv9Kp4Tn8Wd3"


@pytest.mark.parametrize("head", ["nvapi-", "sk-or-v1-", "glpat-", "lin_api_"])
@pytest.mark.parametrize("behind", ["", " and words", '"', ", next"])
def test_a_token_that_a_line_end_cuts_is_masked_whole(head: str, behind: str) -> None:
    known = (
        "4fQ9aZ7bX2cV8nM1kJ6hG3dS5pR0tY4wE9uI2oL7xC1vB6nK" if head != "sk-or-v1-" else "3fa9" * 12
    )
    rest = REST if head != "sk-or-v1-" else "5b2c082d301e362d9b"
    out = REDACTOR.redact(f"it said {head}{known}\n{rest}{behind}\nand more")
    assert rest not in out
    assert out.endswith(f"{behind}\nand more")


@pytest.mark.parametrize(
    "below",
    ["plain words", "src/net/retry_budget.py", "3f2a9c1d" * 5, "test_x86_64", "ghp_" + "aB3dE6gH9j" * 4,
     "2026-11-27", f"{REST}: a name", "retries=3"],
)  # fmt: skip
def test_what_is_below_a_token_stays_where_it_is_something_else(below: str) -> None:
    redactor = REDACTOR
    token = "nvapi-4fQ9aZ7bX2cV8nM1kJ6hG3dS5pR0tY4wE9uI2oL7xC1vB6nK3mD8fH2sA"
    out = redactor.redact(f"{token}\n{below}\n")
    assert out == f"{redactor.redact(token)}\n{redactor.redact(below)}\n"


def test_below_a_value_with_a_name_only_a_line_of_its_own_is_the_rest() -> None:
    redactor = REDACTOR
    value = "service_password = x9Kp4Tn8Wd3Zq7Lm2Xv"
    assert REST not in redactor.redact(f"{value}\n{REST}\n")
    assert f"{REST} is built" in redactor.redact(f"{value}\n{REST} is built\n")


@pytest.mark.parametrize("end", [".", ",", ";", ":", ")", "]", "}", "!", "?", "...", "**", ">"])
def test_one_secret_has_one_mark_whatever_follows_it(end: str) -> None:
    redactor = Redactor(b"key")
    line = "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG+bPxRfiCYzQ9vT31xLb{} Keep"
    alone = marks(redactor.redact(line.format("")))
    assert len(alone) == 1
    assert marks(redactor.redact(line.format(end))) == alone


def test_a_value_that_a_name_tells_of_goes_where_the_text_repeats_it() -> None:
    value = "kT9vQ2mX7pL4"
    clean = Redactor(b"key").redact(f"it is {value}\nDB_PASSWORD={value}\nworked with {value}!")
    assert value not in clean
    assert len(set(re.findall(r"\[redacted:[^\]]*\]", clean))) == 1
    assert Redactor(b"key").redact(clean) == clean
