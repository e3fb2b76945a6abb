import pytest

from dejavu.redact import Redactor, secret_values
from dejavu.redact.known_secrets import KnownSecrets


def test_values_of_secret_named_variables() -> None:
    environ = {
        "ACME_KEY": "k-1234567890",
        "ACME_API_TOKEN": "plain words and 1",
        "DB_PASSWORD": "pa55word",
        "MY_SECRET_PROD": "s3cret-s3cret",
        "DATABASE_URL": "postgres://app:in-the-url9@db/x",
        "REDIS": "redis://:only-pass9@cache/0",
    }
    assert secret_values(environ) == sorted(
        [
            "k-1234567890",
            "plain words and 1",
            "pa55word",
            "s3cret-s3cret",
            "in-the-url9",
            "only-pass9",
        ],
        key=lambda value: (-len(value), value),
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SSH_AUTH_SOCK", "/tmp/ssh-x/agent.1"),
        ("OLDPWD", "home-1234567"),
        ("PWD", "home-1234567"),
        ("API_KEY_FILE", "credentials.json"),
        ("GPG_KEY", "/root/key.asc1"),
        ("USE_TOKEN", "disabled"),
        ("MAX_TOKENS", "12345678"),
        ("X_TOKEN", "short1"),
        ("X_SECRET", "********"),
        ("HOME", "not-a-secret-1"),
        ("KEYBOARD", "not-a-secret-1"),
    ],
)
def test_paths_switches_and_short_values_are_left_out(name: str, value: str) -> None:
    assert secret_values({name: value}) == []


def test_known_values_go_as_they_are_in_json_and_in_urls() -> None:
    secret = 'a"b c/d-12345'
    redact = Redactor(b"key", [secret]).redact
    for form in (secret, 'a\\"b c/d-12345', "a%22b%20c%2Fd-12345"):
        out = redact(f"x{form}y")
        assert out.startswith("x[redacted:known:")
        assert out.endswith("]y")


def test_the_longer_of_two_values_is_found() -> None:
    assert list(KnownSecrets(["12345678", "12345678abc"]).spans("-12345678abc-")) == [(1, 12)]
    assert list(KnownSecrets(["short"]).spans("short")) == []


def test_a_known_value_broken_over_rows_is_masked() -> None:
    rows = ["the value is corr", "ect-horse ok     "]
    out = Redactor(b"key", ["correct-horse"]).redact_rows(rows, 17)
    assert "corr" not in out[0]
    assert "horse" not in out[1]
