"""The secret that belongs to an id goes with it, however the two are pasted."""

import random
import string

import pytest

from dejavu.redact import Redactor

REDACT = Redactor(b"key").redact
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def run(count: int, alphabet: str = LETTERS, seed: int = 0) -> str:
    return "7aB"[: 2 if alphabet == HEX else 3] + "".join(
        random.Random(count + 1000 * seed).choices(
            alphabet, k=count - (2 if alphabet == HEX else 3)
        )
    )


KEY_ID, SECRET = "AKIA" + run(16).upper(), run(40, LETTERS + "+/")


@pytest.mark.fault("h1")
@pytest.mark.parametrize(
    "pasted",
    [
        "{id} / {secret}",
        "{id} {secret}",
        "AWS key {id}, secret {secret}",
        "{id}:{secret}",
        "{id}/{secret}",
        "{secret}\n{id}",
        "{id}\n\n{secret}.",
        "User name,Access key ID,Secret access key\r\nbob,{id},{secret}\r\n",
        "{id}\tbob\t{secret}",
        '{{"a": "{id}",\n "u": "bob",\n "b": "{secret}"}}',
        "{id}\\n{secret}\\n",
        "[redacted:aws-key-id:0123abcd] {secret}",
    ],
)
def test_an_aws_secret_goes_with_its_key_id(pasted: str) -> None:
    clean = REDACT(pasted.format(id=KEY_ID, secret=SECRET))
    assert SECRET not in clean
    assert "[redacted:aws-secret:" in clean
    assert REDACT(clean) == clean


def test_a_secret_of_letters_alone_goes_too() -> None:
    secret = "VhCIjNuWgTVpEskeikXXwEzRgCrYDNrruW/XLrVs"
    assert secret[:10] not in REDACT(f"{KEY_ID}\n{secret}\n")


@pytest.mark.parametrize(
    "beside",
    [
        "commit " + run(40, HEX),
        "sha1=" + run(40, HEX),
        "src/dejavu/interfaces/tui/conversations1",
        run(41),
        run(40) + ".tar.gz",
        "image: registry/" + run(40),
    ],
)
def test_a_digest_a_path_or_a_part_of_a_longer_run_stays(beside: str) -> None:
    assert REDACT(f"{KEY_ID}\n{beside}\n").endswith(f"\n{beside}\n")


def test_what_is_lines_away_stays() -> None:
    assert SECRET in REDACT(KEY_ID + "\n" * 6 + SECRET)


@pytest.mark.fault("h1")
@pytest.mark.parametrize(
    ("public", "secret"),
    [
        ("AC" + run(32, HEX), run(32, HEX, seed=1)),
        ("123456789012-" + run(32).lower() + ".apps.googleusercontent.com", run(24, seed=1)),
        ("Iv1." + run(16, HEX), run(40, HEX, seed=1)),
        ("Ov23" + run(16), run(40, HEX, seed=1)),
        ("0oa" + run(17), run(40, seed=1)),
        ("acme.eu.auth0.com", run(64, seed=1)),
        ("3MVG9" + run(80), run(64, HEX, seed=1).upper()),
        ("DO00" + run(16).upper(), run(43, seed=1)),
        ("YCAJ" + run(21), "YCP" + run(37, seed=1)),
        ("1000." + run(30).upper(), run(42, HEX, seed=1)),
        ("DI" + run(18).upper(), run(40, seed=1)),
        ("Public Key: B" + run(86), run(43, seed=1)),
    ],
)
def test_an_id_that_is_no_secret_stays_and_its_secret_goes(public: str, secret: str) -> None:
    for pasted in (f"{public} {secret}", f"{public}\n{secret}\n", f"{secret}\n{public}"):
        clean = REDACT(pasted)
        assert public in clean
        assert secret not in clean


@pytest.mark.fault("h1")
@pytest.mark.parametrize(
    ("known", "secret"),
    [
        ("rzp_live_" + run(14), run(24, seed=1)),
        ("LTAI" + run(20), run(30, seed=1)),
        ("AKID" + run(32), run(32, seed=1)),
        ("SCW" + run(17).upper(), "6553061e-77bd-e498-4ac3-a8eeae954af6"),
        ("EXO" + run(24, HEX), run(43, seed=1)),
        ("GOOG1E" + run(57).upper(), run(40, seed=1)),
        ("SK" + run(32, HEX), run(32, seed=1)),
        ("datadog api key: " + run(32, HEX), run(40, HEX, seed=1)),
        ("algolia_admin_key=" + run(32, HEX), run(32, seed=1)),
    ],
)
def test_both_halves_of_a_pair_go(known: str, secret: str) -> None:
    assert secret not in REDACT(f"{known} / {secret}")
    assert secret not in REDACT(f"{secret}\n{known}")


@pytest.mark.fault("h1")
def test_a_secret_said_in_prose_goes() -> None:
    assert SECRET not in REDACT(f"client id 1234, secret {SECRET}.")
    assert "secret default-token-of-the-service" in REDACT("secret default-token-of-the-service")
