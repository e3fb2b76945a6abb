import base64
import json
import re
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        ("X_TOKEN", "sh0rt"),
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


@pytest.mark.fault("M-environment")
@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("ACME_TOKEN", "/k3J9xQ2pL7vB4nM8rT5wY1zA6cD0eF", "/k3J9xQ2pL7vB4nM8rT5wY1zA6cD0eF"),
        ("DB_PASSWORD", "correcthorse", "correcthorse"),
        ("DB_PASSWORD", "8412097733", "8412097733"),
        ("PGPASSWORD", "sh0rt7", "sh0rt7"),
        ("APP_SECRET_PRODUCTION", "two words", "two words"),
        (
            "ALERT_WEBHOOK_URL",
            "https://h.dev/in/a7Bk3Qp9Zx1Lm5Tr",
            "https://h.dev/in/a7Bk3Qp9Zx1Lm5Tr",
        ),
        ("SENTRY_DSN", "https://0f1e2d3c4b5a6978@o1.x.dev/4", "0f1e2d3c4b5a6978"),
        ("ANYTHING", "Server=db;Uid=a;Pwd=kx81mm;", "kx81mm"),
    ],
)
def test_values_of_any_look_are_found_in_any_form(name: str, value: str, secret: str) -> None:
    assert secret in secret_values({name: value})
    redact = Redactor(b"key", secret_values({name: value})).redact
    for form in (
        secret,
        base64.b64encode(secret.encode()).decode(),
        json.dumps(secret),
        quote(secret),
    ):
        assert "[redacted:" in redact(f"x {form} y")


_AMPERSAND = "Tr0ub4dor&3xyzzy"


def _basic(user: str) -> str:
    return base64.b64encode(f"{user}:{_AMPERSAND}".encode()).decode()


@pytest.mark.fault("33.G1")
@pytest.mark.parametrize(
    "written",
    [
        _AMPERSAND.replace("&", "\\u0026"),
        _AMPERSAND.replace("&", "&amp;"),
        _AMPERSAND.replace("&", "\\&"),
        _AMPERSAND.upper(),
        _AMPERSAND.encode().hex(),
        _AMPERSAND.encode().hex().upper(),
        _AMPERSAND[:8] + "\n" + _AMPERSAND[8:],
        _AMPERSAND[:3] + "  \\\r\n    " + _AMPERSAND[3:],
        *map(_basic, ["u", "us", "use", "deploy-bot@example.org"]),
        _basic("user")[:14] + "\n " + _basic("user")[14:],
    ],
)
def test_a_value_is_found_as_programs_write_it(written: str) -> None:
    redact = Redactor(b"key", secret_values({"DB_PASSWORD": _AMPERSAND})).redact
    clean = redact(f"before v={written} behind\nthe next row")
    assert clean.startswith("before v=[redacted:known:")
    assert clean.endswith("] behind\nthe next row")


@pytest.mark.fault("33.G1")
@pytest.mark.parametrize("name", ["DB_PW", "DBPW", "SMTP_LOGIN", "KENNWORT", "ENCRYPTION"])
def test_a_secret_is_found_by_names_that_are_less_common(name: str) -> None:
    assert secret_values({name: _AMPERSAND}) == [_AMPERSAND]


@pytest.mark.parametrize("user", ["app", "mail.robot-2", "me@example.org", "build+ci@example.org"])
def test_a_login_that_is_a_users_name_is_no_secret(user: str) -> None:
    assert secret_values({"SMTP_LOGIN": user}) == []


def test_of_a_file_in_base64_only_the_value_goes() -> None:
    data = bytes(range(256)) * 4
    encoded = base64.b64encode(data + b"hunter2hunter" + data).decode()
    clean = Redactor(b"key", ["hunter2hunter"]).redact(encoded)
    assert clean.startswith(encoded[:1300])
    assert clean.endswith(encoded[-1300:])
    assert "[redacted:known:" in clean


def test_a_short_value_over_two_lines_is_a_word_there_too() -> None:
    redact = Redactor(b"key", ["hunt2er"]).redact
    assert re.fullmatch(r"a \[redacted:known:\w{8}\] b", redact("a hunt2\ner b"))
    assert redact("a hunt2\nerrand b") == "a hunt2\nerrand b"


@given(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=24),
    st.binary(max_size=7), st.binary(max_size=7),
)  # fmt: skip
def test_base64_of_anything_with_a_value_in_it_shows_no_piece_of_it(
    value: str, before: bytes, behind: bytes
) -> None:
    encoded = base64.b64encode(before + value.encode() + behind).decode()
    clean = Redactor(b"key", [value]).redact(f"it is {encoded} here")
    assert clean.startswith("it is ")
    assert encoded.strip("=/")[4:-4] not in clean


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DB_PASSWORD", "postgres"),
        ("SORT_KEY", "username"),
        ("OUTPUT_TOKENS", "200000"),
        ("SECRET_MANAGER", "keychain-os"),
        ("GIT_ASKPASS", "askpass-9.sh"),
        ("TOKEN", "/home/me/my-token9x"),
        ("API_TOKEN", "/secrets/api-token"),
    ],
)
def test_defaults_counts_and_paths_are_no_secrets(name: str, value: str) -> None:
    assert secret_values({name: value}) == []


def test_a_short_value_is_no_part_of_a_longer_word() -> None:
    redact = Redactor(b"key", ["sunshine"]).redact
    assert redact("sunshines") == "sunshines"
    assert "sunshine" not in redact("'sunshine'")


def test_a_password_and_the_user_of_the_same_beginning_are_one_value_too() -> None:
    environ = {
        "REGISTRY_USER": "bot", "REGISTRY_PASS": "ab12cd", "USER": "me", "db_username": "app",
        "db_password": "hunter", "HTTP_BASIC_AUTH": "deploy:s3cr3tpw9",
    }  # fmt: skip
    values = secret_values(environ)
    assert {"bot:ab12cd", "app:hunter", "s3cr3tpw9"} <= set(values)
    assert not any(value.startswith("me:") for value in values)
    redactor = Redactor(b"k", values)
    for pair in ("bot:ab12cd", "app:hunter", "deploy:s3cr3tpw9"):
        encoded = base64.b64encode(pair.encode()).decode()
        assert encoded not in redactor.redact(f"the header was {encoded}, sent")
    assert "s3cr3tpw9" not in redactor.redact("the password s3cr3tpw9 it took")
