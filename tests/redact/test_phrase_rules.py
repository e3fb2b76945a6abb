"""Secrets with blanks, quotes and line ends in them, by the numbers of an attack's report: S5, S8, S9."""

import pytest

from dejavu.redact import Redactor

REDACTOR = Redactor(b"k" * 32)


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ('password = "Kq7ZbT3nYw9L rX2vPq8Zs4 Tt6Bn3Mc9K"', "rX2vPq8Z"),
        ('PASSPHRASE="correct horse battery staple 7"', "battery"),
        ('{"password": "Kq7Z bT3nYw9LrX2v Pq8Zs4"}', "bT3nYw9L"),
        ('password="Kq7Zb\\"T3nYw9LrX2vPq8Zs4"', "T3nYw9Lr"),
        ("DB_PASSWORD='Kq7Zb'\"'\"'T3nYw9LrX2vPq8Zs4'", "T3nYw9Lr"),
        ("postgres://app:Kq7Zb/T3nYw9LrX2v@Pq8Zs4@h/db", "T3nYw9Lr"),
        ('token = """\\\n  MUJOXLCnqjDOsj8v5B\\\n  MjKTwo7I1zPVCzS9mm\\\n  """', "MjKTwo7I"),
        ("OPENAI_API_KEY: sk-p roj- cuGh 4rVZ ImMo lMZe _Ult 1oLN 4Ib7", "cuGh"),
        ('#define AUTH_TOKEN "68bf1a10accc70dac3876a585fc50763"', "68bf1a10"),
    ],
)
def test_a_named_value_goes_whole(text: str, piece: str) -> None:
    assert piece not in REDACTOR.redact(text)


@pytest.mark.parametrize(
    "text",
    [
        'password: "enter your password"',
        'password_hint: "At least 12 characters, 1 digit"',
        'parser.add_argument("--password", help="a b1 c")',
        "git+ssh://git@h:org/repo@v1.2",
        "https://h:8080/a@b",
        'x = """\nhello world abc123\n"""',
    ],
)
def test_sentences_and_addresses_stay(text: str) -> None:
    assert REDACTOR.redact(text) == text
