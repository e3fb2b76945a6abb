"""Keys in base64, and DER without a header."""

import base64
import random

import pytest

from dejavu.redact import Redactor

REDACT = Redactor(b"key").redact
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PRIVATE = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA"
BODY = base64.b64encode(random.Random(5).randbytes(600)).decode()


@pytest.mark.fault("M-files")
@pytest.mark.parametrize("wrap", [0, 64, 76])
def test_a_key_in_base64_goes(wrap: int) -> None:
    text = base64.b64encode(f"{PRIVATE}{BODY}\n".encode()).decode()
    lines = "\n".join(text[at : at + wrap] for at in range(0, len(text), wrap)) if wrap else text
    clean = REDACT(f"data: {lines}\nend")
    assert clean.startswith("data: [redacted:private-key-b64:")
    assert clean.endswith("]\nend")


@pytest.mark.fault("M-files")
@pytest.mark.parametrize(
    "token", [TOKEN, "AKIA" + "ABCDEFGH23456789", "xoxb-1234567890-abcdefGHIJ"]
)
def test_a_token_in_base64_goes(token: str) -> None:
    text = base64.b64encode(token.encode()).decode()
    assert text not in REDACT(f"data:\n  token: {text}\n")


def test_other_base64_stays() -> None:
    certificate = "-----BEGIN CERTIFICATE-----\nMIIDdzCC" + BODY
    for text in (BODY, base64.b64encode(certificate.encode()).decode(), "Z2hwXw== and QUtJQQ=="):
        assert REDACT(text) == text


@pytest.mark.fault("M-files")
@pytest.mark.parametrize(
    "start",
    [
        "MIIEpAIBAAKCAQEA",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
        "MIGHAgEAMBMGByqGSM49",
        "b3BlbnNzaC1rZXktdjEA",
    ],
)
@pytest.mark.parametrize("before", ["", "{n:6}\t", "{n:5}→", "+"])
def test_the_body_of_a_key_goes_without_its_header(start: str, before: str) -> None:
    text = start + BODY[: 64 * 5 - len(start)]
    lines = [text[at : at + 64] for at in range(0, len(text), 64)]
    shown = "\n".join(before.format(n=n) + line for n, line in enumerate(lines, 2))
    clean = REDACT(f"{shown}\n")
    assert "[redacted:private-key-der:" in clean
    assert not [line for line in lines if line[:16] in clean]
