"""Screens of other programs, by the numbers of a red team's report: H2, H8 and H9.

The whole measure, with a held-out half: `benchmarks/redact/elsewhere.py`.
"""

import base64
import random
import string
import sys

import pytest

from dejavu.redact import Redactor
from dejavu.scrapers import SessionReader

REDACTOR = Redactor(b"k" * 32)
TOKEN = "ghp_" + "".join(random.Random(4).choices(string.ascii_letters + string.digits, k=36))
HEX = f"{random.Random(5).getrandbits(256):064x}"
A, B, C = TOKEN[:14], TOKEN[14:28], TOKEN[28:]
BYTES = f"KEY={TOKEN}\n".encode()


def _hexdump() -> list[str]:
    return [
        f"{at:08x}: {BYTES[at : at + 16].hex(' ', 2):39}  {BYTES[at : at + 16].decode().strip()}"
        for at in range(0, len(BYTES), 16)
    ]


H8 = {
    "less -S": [f"words {TOKEN[:30]}>", "other words"],
    "less -S, scrolled": [f"<{TOKEN[9:]} and words"],
    "psql": [f" 1 | {A}.", f"   |.{B}.", f"   |.{C} "],
    "a glyph": [f"KEY {A}↩", f"{B}↩", C],
    "a minimap": [f"{A} ⠁⣿⠇", f"{B} ⣿⠃ ", f"{C:14} ⠁  "],
    "two columns": [f"{A}   the words of", f"{B}   another page", f"{C:14}   and more"],
    "word-diff": [f"KEY {A}[-oldone-]{{+{B}+}}{C}"],
    "xxd": _hexdump(),
    "literals": [f'sb.append("{A}");', f'sb.append("{B}");', f'sb.append("{C}");'],
    "YAML": ["key: >-", f"  {A}", f"  {B}", f"  {C}"],
    "quoted-printable": [f"KEY=3D{A}=", f"{B}=", C],
    "hidden": [f"KEY {A}********{C}"],
    "shortened": [f"KEY {A}...{C}"],
    "the end alone": [f"your key ends with {TOKEN[-12:]}"],
    "escapes": ["".join(f"\\u{ord(char):04x}" for char in TOKEN)],
    "percent": ["".join(f"%{ord(char):02X}" for char in TOKEN)],
    "nano": [f"<{TOKEN[5:30]}>"],
    "base64": ["base64 < .env", base64.b64encode(BYTES).decode()],
}
PIECES = {
    "xxd": BYTES.hex(), "escapes": "".join(f"u{ord(char):04x}" for char in TOKEN),
    "percent": "".join(f"{ord(char):02X}" for char in TOKEN),
    "base64": base64.b64encode(BYTES).decode()[6:-4],
}  # fmt: skip


def readable(rows: list[str]) -> str:
    return "".join(filter(str.isalnum, "".join(rows)))


@pytest.mark.parametrize("layout", H8)
def test_h8_no_eight_characters_in_a_row_are_left(layout: str) -> None:
    rows = H8[layout]
    text = readable(REDACTOR.mask_block(rows, 100))
    for form in {TOKEN, PIECES.get(layout, TOKEN)}:
        flat = readable([form])
        size = 8 * len(flat) // len(TOKEN) if form != TOKEN else 8
        assert not any(flat[at : at + size] in text for at in range(len(flat) - size + 1))


H9 = [
    "/nix/store/5rbhdc2vsvl1iwdm6wdjm3kmqqb3kv3a-ring-7.12.13/bin/ring",
    "arn:aws:ecs:eu-central-1:123456789012:task/ingest/cc21b32ea219a19e85402496a270e5fb",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:gateway-U3CTun",
    f"    --hash=sha256:{HEX}",
    "request_id=861a97f8-adc4-41ca-ba24-3d60566a5846 trace_id=78305aa64b7bbf579c0eb09acf38f9bf",
    f"{HEX}  dist/ring.tar.gz",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBlvdRMmkV5kXzPnS0Ojbs1kQpZ3T7yQ2vW9xLm4Rt8u ada@ring",
    "256 SHA256:N74nufCy7iUsMZsmQOIW2a4feshmPAemnMUN7FnGglF ada@cache (ED25519)",
    "SHA256 Fingerprint=1A:B6:FC:B8:31:EC:25:A5:DA:CB:7B:AB:DA:07:6E:21:9A:81:DB:A9:84:14:7B:6B",
    "gateway-7d9f8c6b5b-x2x4z   1/1   Running",
    f"ghcr.io/acme/ring@sha256:{HEX}",
    "main.cpp:(.text+0x1f): undefined reference to `_ZN4ring6Client4sendEPKcm'",
    "PASSWORD_MIN_LENGTH=12",
    "index 3f2a9c81d..9c81d4e6b 100644",
]


@pytest.mark.parametrize("width", [40, 72, 120])
@pytest.mark.parametrize("row", H9)
def test_h9_public_values_stay_wherever_a_row_breaks(row: str, width: int) -> None:
    rows = [row[at : at + width] for at in range(0, len(row), width)]
    ends = [False] * (len(rows) - 1) + [True]
    assert REDACTOR.mask_block(["words before", *rows], width, ends=[False, *ends]) == [
        "words before",
        *rows,
    ]


def _calls(megabytes: int) -> int:
    """Calls of functions that reading one unbroken word takes: a cost that no load changes."""
    count = 0

    def profile(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    reader = SessionReader("claude", 120, 40, mask=REDACTOR)
    reader.output("❯ hello\r\n\r\n● ".encode(), 0.0)
    sys.setprofile(profile)
    try:
        for number in range(megabytes * 16):
            reader.output(b"abcdefgh" * (1 << 13), 0.1 + number / 1000)
        reader.exit(0, 1.0)
        assert reader.turns
    finally:
        sys.setprofile(None)
    return count


def test_h2_a_word_without_an_end_costs_its_length() -> None:
    assert _calls(2) < 2.5 * _calls(1)


def test_rows_of_a_longer_value_are_no_digest_by_their_length() -> None:
    """Two rows of twenty digits are as long as a commit's hash; four of them are one key's rest."""
    rows = [
        "       + prod-2f74430b2ade536",
        "       + e5547e9215081226eac2",
        "       + 21a4dd30afd5921a6c65",
        "       + 7c0af12e1",
    ]
    redactor = Redactor(b"k" * 32)
    masked = redactor.mask_block(
        rows, 30, [False] * 4, cut_above=True, cut_below=True, suspect=[True] * 4
    )
    assert all("[redacted:" in redactor.labels(row) for row in masked)
