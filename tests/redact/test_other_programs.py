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


def _rows(numbers: list[str], gap: str, per: int = 12) -> list[str]:
    return [gap.join(numbers[at : at + per]) + gap for at in range(0, len(numbers), per)]


_WORDS = [f"{b:02x}{a:02x}" for a, b in zip(BYTES[::2], BYTES[1::2] + b"\0", strict=False)]
NUMBERS = {
    "decimal": ["body: [", *_rows([str(byte) for byte in BYTES], " "), "]"],
    "decimal in a wide row": ['"data": [' + ", ".join(map(str, BYTES)) + "]"],
    "hexadecimal": _rows([f"0x{byte:02x}" for byte in BYTES], ", "),
    "octal": _rows([f"{byte:03o}" for byte in BYTES], " "),
    "binary": _rows([f"{byte:08b}" for byte in BYTES], " ", 6),
    "UTF-16": [f"{row}\\" for row in _rows([f"{byte:02x},00" for byte in BYTES], ",")],
    "swapped words": [
        f"{at * 2:07x} " + " ".join(_WORDS[at : at + 8]) for at in range(0, len(_WORDS), 8)
    ],
    "calls": ["+".join(f"chr({byte})" for byte in BYTES)],
    "one blank before the characters": [
        f"{at:04x}: {BYTES[at : at + 16].hex(' ')} {BYTES[at : at + 16].decode().strip()}"
        for at in range(0, len(BYTES), 16)
    ],
}


@pytest.mark.parametrize("layout", NUMBERS)
def test_bytes_written_as_numbers_are_read(layout: str) -> None:
    masked = REDACTOR.mask_block(NUMBERS[layout], 200)
    digits = readable(NUMBERS[layout])
    kept = readable(masked)
    assert len(kept) < len(digits) / 2
    assert not any(TOKEN[at : at + 8] in kept for at in range(len(TOKEN) - 7))


PIECES_OF_TEXT = {
    "strings on a row": [f'TXT "{A}" "{B}" "{C}"'],
    "a list of strings": [f'["{A}", "{B}", "{C}"]'],
    "letters": ["[" + ", ".join(f"'{char}'" for char in TOKEN) + "]"],
    "letters apart": [" ".join(TOKEN)],
    "ellipses apart": [f"+ ... {TOKEN[9:30]} ..."],
    "middle dots": [f"> ··{TOKEN[9:30]}··"],
    "a window in brackets": [f"<{TOKEN[9:30]}>"],
    "word-diff porcelain": ["@@ -3,1 +3,1 @@", f" {A}", "-52c", f"+{B}", "-a1f", f"+{C}", "~"],
}


@pytest.mark.parametrize("layout", PIECES_OF_TEXT)
def test_pieces_of_text_are_joined_or_judged_at_their_marks(layout: str) -> None:
    kept = readable(REDACTOR.mask_block(PIECES_OF_TEXT[layout], 200))
    assert not any(TOKEN[at : at + 8] in kept for at in range(4, len(TOKEN) - 7))


def test_numbers_of_other_things_stay() -> None:
    rows = [
        "src/app.py   298    51   40%   726-735, 81-90, 276-285, 860-869",
        "0, 12, 255, 128, 64, 32, 16, 8, 4, 2, 1, 99, 101, 103, 107, 109, 113",
        "const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'];",
    ]
    assert REDACTOR.mask_block(rows, 100) == rows


_BODY = "".join(random.Random(8).choices(string.ascii_letters + string.digits, k=512))


def _armoured(kind: str) -> list[str]:
    body = [_BODY[at : at + 64] for at in range(0, 512, 64)]
    rows = [f"-----BEGIN {kind}-----", *body, f"-----END {kind}-----"]
    return [row[at : at + 56] for row in rows for at in range(0, len(row), 56)]


@pytest.mark.parametrize(
    "kind", ["CERTIFICATE", "PGP PUBLIC KEY BLOCK", "X509 CRL", "RSA PUBLIC KEY"]
)
def test_a_public_block_stays(kind: str) -> None:
    assert REDACTOR.mask_block(_armoured(kind), 56) == _armoured(kind)


@pytest.mark.parametrize("kind", ["PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "RSA PRIVATE KEY"])
def test_a_private_block_goes(kind: str) -> None:
    kept = readable(REDACTOR.mask_block(_armoured(kind), 56))
    assert not any(_BODY[at : at + 8] in kept for at in range(len(_BODY) - 7))


@pytest.mark.parametrize(
    "path",
    [
        "~/.cache/uv/archive-v0/5MAaNx0FVnPslE59Ygs-X/queue_ring.cpython-312-x86_64-linux-gnu.so",
        "DerivedData/RouterBatch-kmekmlbdhnslkonumfokbyougpqc/Build/Products/Debug/Router.app",
        "/private/var/folders/3h/w_s3ced1iipo3mt_d6yq7cccmgpmf8/T/tmpdqh0tpf4/retry/queue.py",
    ],
)
def test_a_path_over_rows_stays(path: str) -> None:
    rows = [path[:60], path[60:], "and words"]
    masked = REDACTOR.mask_block(rows, 60, ends=[False, False, True])
    assert masked == rows


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


def test_a_token_that_begins_as_a_uuid_behind_a_number_goes_where_it_is_cut() -> None:
    rows = ["its words", "0.e6bc1ced-f4c8-4801-acd5-c70d0b9af2ef.nNt9vhZEfoKCbAN72t0u"]
    masked = REDACTOR.mask_block(rows, 60, cut_below=True)
    assert masked[0] == rows[0]
    assert "e6bc1ced" not in masked[1]
