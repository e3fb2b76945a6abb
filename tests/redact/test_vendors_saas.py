import random
import string

import pytest

from dejavu.redact import Redactor
from dejavu.redact.vendors_saas import RULES

REDACT = Redactor(b"key").redact
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def run(count: int, alphabet: str = LETTERS) -> str:
    return "".join(random.Random(count).choices(alphabet, k=count - 1)) + "7"


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("slack", "-".join(["xoxb", "1" * 12, "2" * 13, run(24)])),
        ("slack-app", "xapp-1-A" + run(10).upper() + "-" + "3" * 13 + "-" + run(64, HEX)),
        ("discord", "MT" + run(24) + ".G" + run(5) + "." + run(38)),
        ("telegram", "1234567890:AA" + run(33)),
        ("telegram", "12345678:AA" + run(33)),
        ("twilio", "SK" + run(32, HEX)),
        ("sendgrid", "SG." + run(22) + "." + run(43)),
        ("mailchimp", run(32, HEX) + "-us14"),
        ("resend", "re_" + run(8) + "_" + run(24)),
        ("stripe", "sk_live_" + run(24)),
        ("webhook-secret", "whsec_" + run(32)),
        ("shopify", "shpat_" + run(32, HEX)),
        ("airtable", "pat" + run(14) + "." + run(64, HEX)),
        ("asana", "1/" + "4" * 16 + ":" + run(32, HEX)),
        ("facebook", "EAA" + run(180)),
        ("mapbox", "sk.eyJ" + run(90) + "." + run(22)),
    ],
)
def test_a_token_in_the_vendor_s_form_is_masked_whole(name: str, secret: str) -> None:
    for before, after in (("", ""), ("use ", " now"), ("('", "')"), ("x\n", "\ny")):
        out = REDACT(before + secret + after)
        assert out.startswith(f"{before}[redacted:{name}:")
        assert out.endswith("]" + after)


def test_every_rule_belongs_to_a_vendor() -> None:
    assert all(rule.vendor for rule in RULES)
