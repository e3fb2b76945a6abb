"""What is left of a secret beside rows that nobody saw."""

import random
import string

import pytest

from dejavu.redact import Redactor
from dejavu.redact.random_runs import has_high_entropy, is_file_name, is_words

REDACTOR = Redactor(b"key")
TOKEN = "ghp_" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=36))


def leaks(rows: list[str], secret: str = TOKEN) -> bool:
    text = "".join("".join(row.split()) for row in rows)
    return any(secret[i : i + 10] in text for i in range(len(secret) - 9))


def test_a_key_whose_first_line_scrolled_away() -> None:
    body = "".join(random.Random(2).choices(string.ascii_letters + string.digits, k=140))
    end = "-----END OPENSSH " + "PRIVATE KEY-----"
    rows = ["words before", body[:70], body[70:], end, "words after"]
    masked = REDACTOR.mask_block(rows, 80)
    assert not leaks(masked, body)
    assert (masked[0], masked[4]) == (rows[0], rows[4])


@pytest.mark.parametrize("where", ["above", "below", "fold"])
def test_what_is_left_of_a_secret_beside_a_cut_goes(where: str) -> None:
    rest = TOKEN[12:]
    rows = {
        "above": [rest + " and words"],
        "below": ["words and " + TOKEN[:25].removeprefix("ghp_")],
        "fold": [f"x: {TOKEN[4:30]}", "… +12 lines (ctrl+r to expand)", "words"],
    }[where]
    masked = REDACTOR.mask_block(rows, 80, cut_above=where == "above", cut_below=where == "below")
    assert not leaks(masked)
    assert "words" in masked[-1] or "words" in masked[0]
    assert REDACTOR.mask_block(rows[:1], 80) == rows[:1], "a row that nothing cut stays"


@pytest.mark.parametrize(
    "text",
    ["src/net/retry_budget.py", "https://example.org/documentation/guide", "--no-default-features",
     "RetryBudgetManager", "2026-11-21T10:00:00", "antidisestablishmentarianism"],
)  # fmt: skip
def test_words_and_paths_are_not_dense(text: str) -> None:
    assert not has_high_entropy(text)


@pytest.mark.parametrize("text", ["which", "HTTP", "retryBudget", "v2", "see_also-3", "2026", ""])
def test_words(text: str) -> None:
    assert is_words(text)
    assert not is_words(text + "x9Kq7Z")


def test_a_rest_goes_over_all_the_rows_it_covers() -> None:
    rest = TOKEN[4:]
    rows = [rest[:9], rest[9:18], rest[18:27], rest[27:] + " words"]
    masked = REDACTOR.mask_block(rows, 9, cut_above=True)
    assert not leaks(masked)
    assert masked[-1].endswith(" words")
    masked = REDACTOR.mask_block(["words " + rest[:9], rest[9:18], rest[18:]], 9, cut_below=True)
    assert not leaks(masked)


@pytest.mark.parametrize(
    "row",
    ["pytest -q tests/test_retry.py", "look at lib2to3/fixes/fix_print.py", "in encodings/cp1125.py",
     "test/test_pwd.py", "src/api_routes.ts", "key-value-store/iso8859_16.c"],
)  # fmt: skip
def test_a_path_that_begins_like_a_token_stays_beside_a_cut(row: str) -> None:
    """`test_`, `api_` and `key-` begin tokens of vendors, and the files of every project."""
    rows = ["words", row, "...."]
    for width in (len(row) + 1, 80):
        masked = REDACTOR.mask_block(
            rows, width, cut_below=True, suspect=[False, True, True], ends=[True, True, True]
        )
        assert masked == rows
    assert not leaks(REDACTOR.mask_block(["words", f"test_{TOKEN[4:14]}"], 80, ends=[True, True]))


@pytest.mark.parametrize("row", ["KEY={}…", "KEY={}...", "KEY=…{} and", "a {}…x"])
def test_what_an_ellipsis_cuts_short(row: str) -> None:
    assert not leaks(REDACTOR.mask_block([row.format(TOKEN[4:24])], 80))


def test_a_row_of_which_a_part_was_lost() -> None:
    rows = ["KEY: " + TOKEN[8:30] + " x", "KEY: " + TOKEN[8:30] + " x"]
    masked = REDACTOR.mask_block(rows, 80, suspect=[True, False])
    assert REDACTOR.labels(masked[0]).startswith("KEY: [redacted:cut-off:")
    assert masked[1] == rows[1]


def test_a_token_that_ends_with_its_row_before_a_rule_knows_it() -> None:
    rows = ["words " + TOKEN[:20], "and other words"]
    assert not leaks(REDACTOR.mask_block(rows, 80))
    whole = "build a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0"
    assert REDACTOR.mask_block([whole, "words"], 80) == [whole, "words"], "no token begins so"


def test_a_run_that_fills_the_last_row_of_a_block() -> None:
    rows = ["xxxx " + TOKEN[8:30], "a prompt that was never next to it"]
    width = len(rows[0]) + 2
    assert not leaks(REDACTOR.mask_block(rows, width, ends=[True, False]))
    assert not leaks(REDACTOR.mask_block(rows, width)), "chopped at the width, with no mark"
    assert REDACTOR.mask_block(rows, 80) == rows
    assert REDACTOR.mask_block(rows, 80, ends=[True, False]) == rows, "a row with room ended there"
    started = ["xxxx " + TOKEN[:20], rows[1]]
    assert not leaks(REDACTOR.mask_block(started, 80, ends=[True, False])), "it begins as a token"


def test_a_row_is_full_only_at_the_edge_of_its_block() -> None:
    ids = [f"snap-id: {TOKEN[at : at + 22]}" for at in (4, 8, 12)]
    rows = [*ids, "a row that goes further than the ids above it do", "words"]
    assert REDACTOR.mask_block(rows, 48) == rows
    assert leaks(rows)


def test_a_listing_that_wraps_cuts_no_value_off() -> None:
    rows = [
        "11 | words that are broken behi",
        "   | nd the edge",
        f"12 | puzzle {TOKEN[8:26]}",
        "   |  rating 9",
    ]
    assert REDACTOR.mask_block(rows, 30) == rows


@pytest.mark.parametrize(
    "rows",
    [
        ['"points":"hgNtiQ|C|iaD_TvLnibDCfSjERDz~ksWQmBRhhqe"'],
        ["-> ../../blobs/4b825dc642cb6eb9a060e54bf8d69288fbee4904"],
        ["auth arm64 <4b825dc642cb6eb9a0", "60e54bf8d69288> /usr/lib/libauth.dylib"],
        ['<div class="sc-TWfbxr css-q17afub-MuiButton" data-v-b3c97293>'],
    ],
)
def test_signs_in_ordinary_text_are_no_marks_of_a_cut(rows: list[str]) -> None:
    assert REDACTOR.mask_block(rows, max(map(len, rows))) == rows


def test_what_is_left_out_between_two_strings() -> None:
    row = f'"line" => "key {TOKEN[:14]}" ⋯ 9 bytes ⋯ "{TOKEN[23:]}"'
    assert not leaks(REDACTOR.mask_block([row], 80))


def test_the_body_of_a_key_whose_header_is_cut() -> None:
    body = "".join(random.Random(2).choices(string.ascii_letters + string.digits, k=140))
    rows = ["PRIVATE KEY-----", body[:70], body[70:], "-----END PRIVATE KEY-- --", "words"]
    assert not leaks(REDACTOR.mask_block(rows, 80), body)
    public = ["-----END PRIVATE KEY-----", body[:70]]
    assert REDACTOR.redact("\n".join(public)) == "\n".join(public), "no key follows an end"


def test_what_was_left_of_a_secret_that_words_followed() -> None:
    licence = "4-KKBFA-XQOU9"
    masked = REDACTOR.mask_block([licence, "and words"], 80, cut_above=True)
    assert licence not in masked[0]
    assert masked[1] == "and words"


def test_a_run_from_edge_to_edge_whose_beginning_an_agent_lost() -> None:
    rows = ["│ xxxxxxx              │", f"│ {TOKEN[12:32]} │", f"│ {TOKEN[32:]:20} │"]
    assert not leaks(REDACTOR.mask_block(rows, 80))
    digest = "5f8a" * 10
    rows = ["words before", digest[:24], digest[24:] + "  file.txt"]
    assert REDACTOR.mask_block(rows, 28) == rows, "a digest is no secret"


@pytest.mark.parametrize(
    "path",
    [
        "distutils/tests/test_msvc9compiler.py:100",
        "test/test_httpservers.py",
        "xml/etree/cElementTree.py",
        "./a-b/coding20731.py:3:",
        "~/.config/gprof2html.toml",
    ],
)
def test_the_path_of_a_file_is_spelt(path: str) -> None:
    assert is_file_name(path)
    assert is_words(path)
    assert not has_high_entropy(path)


@pytest.mark.parametrize(
    "run",
    [
        "services/T0A1B2C3D/B0E4F5G6H/x9Yz8Wq7Vu6T.py",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYz",
        "Ab3/x9Yz8Wq7.ts",
        "msvc9compiler.py9x8Y7z6W",
    ],
)
def test_what_only_has_a_slash_or_an_end_is_none(run: str) -> None:
    assert not is_file_name(run)


@pytest.mark.parametrize(
    "row",
    [
        "see gho_W6YNrDL", "see sm_pat_JDlRz", "see 12 dapi0e271b9b46a7786eb4", "see VdNsE3_uLVCMl2",
        "see d4Y34mbbfxZy1lRCuW", "see sk-ant-api03-Jrn",
    ],
)  # fmt: skip
def test_a_short_beginning_of_a_token_beside_a_cut_goes(row: str) -> None:
    masked = REDACTOR.mask_block(["plain", row], 60, cut_below=True)
    assert row.split()[-1] not in "".join(masked)


@pytest.mark.parametrize(
    "piece",
    ["24-8bd5-4308-a20a-", "2677d293-131b-", "1/7505223854504828:c", "oxp-86484452369",
     "secret_YD99", "rk_test_c3MG"],
)  # fmt: skip
def test_ids_and_the_first_characters_of_tokens_go_beside_a_cut_only(piece: str) -> None:
    rows = ["words", f"xxx {piece}", "and after"]
    assert not leaks(REDACTOR.mask_block(rows, 80, suspect=[False, True, False]), piece)
    assert REDACTOR.mask_block(rows, 80) == rows


@pytest.mark.parametrize(
    "text", ["2026-11-21 10:00", "test_words_of", "secret_words", "v2024-1000-2000", "pk_of_table"]
)
def test_dates_and_names_stay_beside_a_cut(text: str) -> None:
    rows = ["words", f"xxx {text}", "and after"]
    assert REDACTOR.mask_block(rows, 80, suspect=[False, True, False]) == rows


def test_a_run_right_below_what_was_left_of_a_secret_goes() -> None:
    rows = [f"| a   | {TOKEN[4:22]} |", f"| row | {TOKEN[22:]} | x", "| b   | words and more |"]
    masked = REDACTOR.mask_block(rows, 60, suspect=[True, False, False])
    assert not leaks(masked)
    assert masked[2] == rows[2]


@pytest.mark.parametrize("width", [16, 17, 19, 26])
@pytest.mark.parametrize("seed", range(25))
def test_a_name_that_ends_its_row_is_no_heading_alone(width: int, seed: int) -> None:
    """`"SecretAccessKey` at a row's end looks like the heading of a table, and names a value, too."""
    signs = string.ascii_letters + string.digits + "+/"
    value = "".join(random.Random(seed).choices(signs, k=36)) + "aZ7/"
    text = f'"SecretAccessKey": "{value}"'
    rows = [text[at : at + width] for at in range(0, len(text), width)]
    masked = "".join(REDACTOR.mask_block([*rows, "and after"], width + 3))
    assert not any(value[at : at + 10] in masked for at in range(len(value) - 9))


def test_a_vendors_host_before_a_cut_is_not_public() -> None:
    rows = ["plain words", "https://hooks.slack.com/services/T2T"]
    assert REDACTOR.mask_block(rows, 37, cut_below=True)[1] != rows[1]
    hosts = ["plain words", "https://mirror.example.com/services/"]
    assert REDACTOR.mask_block(hosts, 37, cut_below=True) == hosts


def test_what_looks_public_below_the_beginning_of_a_token_is_its_rest() -> None:
    rows = ["at pat.WW7c8p", "_ZtjMCqHfGdUTz", "hW.498ba9eb1af", "b9576f1bf901c."]
    masked = REDACTOR.mask_block(rows, 18, cut_below=True, suspect=[True] * 4)
    assert not any(row in masked for row in rows[1:])
    names = ["at main", "_ZNKSt6vectorIiSaIiEE", "4sizeEv"]
    assert REDACTOR.mask_block(names, 22, cut_below=True, suspect=[True] * 3) == names


def test_groups_of_a_uuid_cut_at_both_ends_are_a_piece() -> None:
    assert REDACTOR.mask_block(["| 065-8b69-d79 |"], 26, cut_above=True, suspect=[True]) != [
        "| 065-8b69-d79 |"
    ]
    assert REDACTOR.mask_block(["| 065-8269-179 |"], 26, cut_above=True, suspect=[True]) == [
        "| 065-8269-179 |"
    ]


def test_a_run_that_breaks_behind_a_sign_above_a_mark_goes_with_it() -> None:
    rows = ["xxxx AAAACmRaTll:", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"]
    assert "RaTll" not in "".join(REDACTOR.mask_block(rows, 60))
    named = ["the token is next:", rows[1]]
    assert REDACTOR.mask_block(named, 60)[0] == named[0]
