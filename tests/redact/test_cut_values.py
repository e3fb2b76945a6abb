"""What may be left of a secret at a cut, and what says that it is something else."""

import base64

import pytest

from dejavu.redact import Redactor
from dejavu.redact.cut_values import (
    has_secret_name,
    is_harmless,
    is_named_path,
    is_plausible,
    is_unjudged,
    looks_random_enough,
)
from dejavu.redact.random_runs import is_numbered_words, is_words


@pytest.mark.parametrize(
    "run",
    ["a8Kq2ZtR9bLw", "7QjekAWi57kAYIFMZpej5NSjqeX26/wrQEY6ToiL", "AGE-133AP2O4ZX62VBQYSVM4", "1/60450377123"],
)  # fmt: skip
def test_what_is_drawn_at_random_may_be_a_secret(run: str) -> None:
    assert looks_random_enough(run)


@pytest.mark.parametrize(
    "run",
    ["target/debug/deps/curl-7c1d9cedbb0f9c39.rlib", "/tmp/tmp6kg7o6v0/fdaa34867e9c.log",
     "https://youtu.be/2KYIBeHV5dJ", "auth-nd86q", "PASSWORD_HASHER=argon2id_v7", "utm_source=%7Bcampaign%7D",
     "usb-Generic_Flash_Disk_0C04AB0F-0:0", "Z2F0ZXdheSBpcyByZWFkeSwgYW5kIHJpbmcgd2FpdHM="],
)  # fmt: skip
def test_names_paths_versions_and_encoded_words_are_none(run: str) -> None:
    assert not looks_random_enough(run)


def test_a_path_with_a_name_of_a_secret_or_a_long_random_part_is_judged() -> None:
    assert is_named_path("https://ci.example.test/acme/runs/14538166472")
    assert not is_named_path("https://example.test/api/webhooks/abc")
    assert not is_named_path("/srv/data/lN37zTwHzhNxanWfKwhNkn8HDE")


def test_pieces_are_judged_one_by_one_where_they_are_long_enough() -> None:
    assert is_plausible(["plain-words", "a8Kq2ZtR9bLw"], lambda _run: False)
    assert not is_plausible(["plain-words", "other-words"], lambda _run: False)
    assert is_plausible(["sk", "-abc"], lambda run: run.startswith("sk-"))


def test_a_name_before_a_value_is_seen() -> None:
    assert has_secret_name('algolia_admin_key = "')
    assert has_secret_name("API_TOKEN=")
    assert not has_secret_name("next_page_token=")
    assert not has_secret_name("integrity: ")


@pytest.mark.parametrize(
    "row", ['  "api_key": "1/179269285046[...]",', "password = hunt8r…", "DB_PASSWORD=ab12****"]
)
def test_a_row_with_a_cut_value_that_no_rule_judges_is_withheld(row: str) -> None:
    assert is_unjudged(row)
    text = "\n".join(Redactor(b"k" * 32).mask_block(["words", row, "after"], 80))
    assert "words" in text
    assert row.strip()[-12:] not in text


@pytest.mark.parametrize(
    "row", ["token: see below...", "the secret is out", "next_page_token: a1b2c3d4..."]
)
def test_words_and_page_tokens_are_not_withheld(row: str) -> None:
    assert not is_unjudged(row)


def test_the_marker_says_that_a_row_was_withheld() -> None:
    redactor = Redactor(b"k" * 32)
    masked = redactor.mask_block(['  "api_key": "1/179269285046[...]",'], 80)
    assert redactor.labels(masked[0]).strip().startswith("[redacted:withheld:")


@pytest.mark.parametrize(
    "row",
    ["sg-0bb1b71d3daa5255e", "pod/metrics-f564n6s8q-mhv8m condition met", "Removing container bea12f5fc691",
     "x-request-id: KUsLKLzqQT6hIYdm  cf-ray: 0882dccdd9653e32-FRA", "github.com/acme/ring v6.6.15",
     'ObjectId("3a59bcc99428b7f6312653f3")'],
)  # fmt: skip
def test_public_values_stay_at_a_cut(row: str) -> None:
    rows = [row, "h1:JzRjMM/obzVsxnFWo2j/3aAQLLgs12aW67LyWGWeyqA=", "words"]
    assert Redactor(b"k" * 32).mask_block(rows, 80, cut_above=True, suspect=[True] * 3) == rows


def test_a_digest_behind_the_name_of_a_secret_is_none() -> None:
    rows = ["words", 'admin_secret = "227946e191f13895c99e035218334da8']
    text = "".join(Redactor(b"k" * 32).mask_block(rows, 80, suspect=[False, True]))
    assert "227946e1" not in text


@pytest.mark.parametrize(
    ("run", "word"),
    [
        ("-0.07687918736472", ""),
        ("ATTAGGCTTTCGCCTGATAACG", ""),
        ("../../nvme0n1", ""),
        ("6update6vector6offset5alphaV4bodyQrv", ""),
        (b"the words of a plain sentence".hex(), ""),
        (base64.b32encode(b"the words of a plain sentence").decode(), ""),
        ("BedmzTMkJ", "kpOX?eyEmIJBAT}Uyemu~uVqyoYOx}BedmzTMkJ?EuOALkSMcqm~XkemaK|g"),
    ],
)
def test_what_says_by_its_form_that_it_is_no_secret(run: str, word: str) -> None:
    assert is_harmless(run, word)
    random_run = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ81"
    assert not is_harmless(random_run, f'"key":"{random_run}",')


@pytest.mark.parametrize(
    "word", ["ba" * 2000 + "9Z9", "abe" * 1000 + "Q7x", "ab9" + "ba" * 2000 + "Z9"]
)
def test_a_long_word_is_judged_in_one_pass(word: str) -> None:
    assert not is_words(word)
    assert not is_numbered_words(word)


def test_an_id_that_is_whole_stays_where_a_row_is_torn() -> None:
    rows = [
        "the registers RSI: a410b0402baabd53 and more words",
        "a time of 1079781136453617 units",
    ]
    assert Redactor(b"k" * 32).mask_block(rows, 80, suspect=[True] * 2) == rows
    torn = ["the registers RSI: a410b0402baabd53c1 and more words"]
    assert Redactor(b"k" * 32).mask_block(torn, 80, suspect=[True]) != torn
