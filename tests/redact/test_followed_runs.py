"""Values whose beginning can be seen, and rows that show a secret in part."""

import random
import string

import pytest

from dejavu.redact import Redactor
from dejavu.redact.followed_runs import has_visible_head, is_public_head
from dejavu.redact.run_kinds import begins

REDACTOR = Redactor(b"k" * 32)
RNG = random.Random(6)
BODY = "".join(RNG.choices(string.ascii_letters + string.digits, k=36))
TOKEN = "ghp_" + BODY
HEX = f"{RNG.getrandbits(256):064x}"


def shown(rows: list[str], secret: str = TOKEN) -> bool:
    text = "".join(filter(str.isalnum, "".join(REDACTOR.mask_block(rows, 100))))
    flat = "".join(filter(str.isalnum, secret))
    return any(flat[at : at + 8] in text for at in range(len(flat) - 7))


@pytest.mark.parametrize(
    ("before", "run", "is_public"),
    [
        ("request ", HEX[:20], True),
        ("Message ", "https://docs.example.test/d/1Wz9RfXJo3j29SL2Q", True),
        ("x-amz-id-2: ", BODY[:20], True),
        ("PASSWORD=", BODY[:20], False),
        ("api_key: ", HEX[:20], False),
        ("words ", BODY[:20], False),
        ("words ", TOKEN[:20], False),
        ("words ", "postgres://app:Qx7vLm2Wp9", False),
        ("words ", "https://hooks.test/webhook/Qx7vLm2Wp9", False),
    ],
)
def test_what_is_public_by_what_can_be_seen(before: str, run: str, is_public: bool) -> None:
    assert is_public_head(before, run, begins) is is_public


@pytest.mark.parametrize("run", ["https://a.test/x", "~/src", "/usr/lib/x", "../a", "words/of"])
def test_urls_and_paths_show_where_they_begin(run: str) -> None:
    assert has_visible_head(run)
    assert not has_visible_head(BODY)


CUT = {
    "no mark": f'[0] 0:bash  "{TOKEN[:20]}" 10:00',
    "quoted, then dots": f'write(3, "{TOKEN[:25]}"..., 64) = 64',
    "quoted, then a count": f"│ key = '{BODY[:20]}'+16 │",
    "words in brackets": f"{BODY[:20]} [... omitted end of long line]",
    "a middle that is missing": f"│ {BODY[:14]}~{BODY[-12:]} │   812 │",
}


@pytest.mark.parametrize("layout", CUT)
def test_a_token_of_which_a_program_shows_a_part(layout: str) -> None:
    assert not shown(["words before", CUT[layout], "words"])


def test_a_dump_with_panels_and_one_with_a_sign_in_the_middle() -> None:
    data = f"KEY={TOKEN}\n".encode()
    panels, signs = [], []
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        text = part.decode().replace("\n", ".")
        halves = part[:8].hex(" "), part[8:].hex(" ")
        panels.append(f"│{at:08x}│ {halves[0]:23} ┊ {halves[1]:23} │{text[:8]}┊{text[8:]}│")
        signs.append(f"    {at:04x} - {'-'.join(filter(None, halves)):47}   {text}")
    for rows in (panels, signs):
        assert not shown(rows)
        assert not shown(rows, TOKEN.encode().hex())


def test_rows_that_begin_with_a_digest_a_name_and_a_number() -> None:
    leads = [f"02326669 (Ada 2026-11-21 10:00 {number:3}) " for number in (8, 9, 10)]
    rows = [f"{leads[0]}value: {TOKEN[:9]}", leads[1] + TOKEN[9:30], leads[2] + TOKEN[30:] + " x"]
    assert not shown(rows)


PUBLIC = [
    f"SHA512 (ring.tgz) = {HEX}{HEX}",
    "Message-ID: <CAs5n7aMXvy2CsIUaKVd9iPKX5AYXCEe9YIOvwHQBN3@mail.example.test>",
    "_ZN4core3ptr48drop_in_place$LT$curl..Client$GT$17h1202256413ab0c5dE",
    "acme.test. 3600 IN DS 21423 13 2 631C315751E2CCA59D4B2EDD0A83DE0F631C315751E2CCA59D4B2EDD0A83",
    "/private/var/folders/v7/fdexdrao2wb4yg4834ns4hcn08zbs1/T/worker.qG3JmJ9K",
    '<svg><path d="M26.8c0-1.25-.6-2.77-2-2H2v-2h33l-0.7z"/></svg>',
    "https://docs.example.test/document/d/1Q9e3TdMnTRb9zv2LZz1AxSY6hvKSWC2AZVEl31m5n/edit",
    "x-amz-request-id: 4B2EDD0A83DE0F63",
]


@pytest.mark.parametrize("width", [60, 100])
@pytest.mark.parametrize("row", PUBLIC)
def test_public_values_stay(row: str, width: int) -> None:
    rows = ["words before", *(row[at : at + width] for at in range(0, len(row), width))]
    ends = [*[False] * (len(rows) - 1), True]
    assert REDACTOR.mask_block(rows, width, cut_above=True, ends=ends) == rows
