import base64
import random
import string

import pytest

from dejavu.redact import Redactor

REDACT = Redactor(b"key").redact
SECRET = "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=32)) + "7Q"
UUID = "-".join(["3f2b8c1d", "9a4e", "4c7b", "8d21", "5e6f7a8b9c0d"])
PAIR = base64.b64encode(f"ops:{SECRET}".encode()).decode()


@pytest.mark.parametrize(
    ("before", "secret", "after"),
    [
        ("Authorization: Bearer ", SECRET, ""),
        ('-H "authorization: token ', SECRET, '"'),
        ("Authorization: Basic ", PAIR, "\n"),
        ("postgres://app:", SECRET, "@db:5432/x"),
        ("git clone https://", SECRET, "@git.internal/a.git"),
        ("curl -sS -u ops:", SECRET, " https://x"),
        ("mytool --password ", SECRET, " run"),
        ("machine x login ops password ", SECRET, "\n"),
        ('"auth": "', PAIR, '"'),
        ("client-key-data: ", SECRET * 2, "\n"),
        ("acme_sk_", SECRET, " ok"),
        ("DB_PASSWORD=", SECRET, "\n"),
        ('{"apiKey": "', SECRET, '"}'),
        ('{\\"client_secret\\": \\"', SECRET, '\\"}'),
        ("password: str = '", SECRET, "'"),
        ("<password>", SECRET, "</password>"),
        ('{"name": "API_TOKEN",\n "value": "', SECRET, '"}'),
        ("STRIPE_KEY=", SECRET, ""),
        ("?api_key=", SECRET, "&page=2"),
        ('"password": "', "p&a<s>s;w0rd!Zq", '"'),
        ("SNYK_TOKEN=", UUID, ""),
        ("SESSION_SECRET=", SECRET * 40, " next"),
    ],
)
def test_the_secret_goes_and_its_surroundings_stay(before: str, secret: str, after: str) -> None:
    out = REDACT(before + secret + after)
    assert out.startswith(before + "[redacted:")
    assert out.endswith("]" + after)


def pem(kind: str, lines: int, *, end: bool = True) -> str:
    words = f"{kind}PRIVATE KEY"
    body = "\n".join((SECRET * 2)[:64] for _ in range(lines))
    return f"-----BEGIN {words}-----\n{body}\n" + (f"-----END {words}-----" if end else "")


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_pem_goes_whole_escaped_indented_and_cut_off(kind: str) -> None:
    block = pem(kind, 5)
    for text in (block, block.replace("\n", "\\n"), block.replace("\n", "\n    ")):
        out = REDACT(f"before {text} after")
        assert "BEGIN" not in out
        assert out.startswith("before [redacted:private-key:")
        assert out.endswith("] after")
    assert SECRET[:16] not in REDACT(pem(kind, 5, end=False))


@pytest.mark.parametrize(
    "text",
    [
        "a line that says -----BEGIN PRIVATE" + " KEY----- and no more",
        "Basic understanding of things",
        "https://host:8080/path@v2",
        "postgres://user:password@localhost/db",
        "postgres://user:${DB_PASSWORD}@localhost/db",
        "password = os.environ['DB_PASSWORD_2024']",
        "token = self.tokenizer.next_token2(stream)",
        "TOKEN=${{ secrets.GITHUB_TOKEN_V2 }}",
        'password: "<your-password-123>"',
        f'{{"session_token": "{UUID}"}}',
        "cache_key = " + "0123456789abcdef" * 2,
        f"next_page_token={SECRET}",
        "integrity sha512-" + SECRET,
        "secret_path: /etc/app1/secrets2/key3",
        '{"max_tokens": 4096123412341234, "total_tokens": 123456789012}',
    ],
)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert REDACT(text) == text
