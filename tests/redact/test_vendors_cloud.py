import random
import string

import pytest

from dejavu.redact import Redactor
from dejavu.redact.vendors_cloud import RULES

REDACT = Redactor(b"key").redact
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def run(count: int, alphabet: str = LETTERS) -> str:
    return "".join(random.Random(count).choices(alphabet, k=count - 1)) + "7"


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("aws-key-id", "AKIA" + run(16).upper()),
        ("google-key", "AIza" + run(35)),
        ("google-secret", "GOCSPX-" + run(28)),
        ("google-oauth", "ya29." + run(150)),
        ("azure-secret", run(4) + "Q~" + run(34)),
        ("azure-devops", run(76) + "AZDO" + run(4)),
        ("azure-key", run(76) + "+ASt" + run(6) + "=="),
        ("digitalocean", "dop_v1_" + run(64, HEX)),
        ("cloudflare", "cfut_" + run(40) + run(8, HEX)),
        ("databricks", "dapi" + run(32, HEX)),
        ("planetscale", "pscale_tkn_" + run(43)),
        ("supabase", "sbp_" + run(40, HEX)),
        ("tailscale", "tskey-auth-" + run(17) + "-" + run(32)),
        ("fly", "fm2_" + run(200)),
        ("openshift", "sha256~" + run(43)),
    ],
)
def test_a_token_in_the_vendor_s_form_is_masked_whole(name: str, secret: str) -> None:
    for before, after in (("", ""), ("use ", " now"), ("('", "')"), ("x\n", "\ny")):
        out = REDACT(before + secret + after)
        assert out.startswith(f"{before}[redacted:{name}:")
        assert out.endswith("]" + after)


def test_every_rule_belongs_to_a_vendor() -> None:
    assert all(rule.vendor for rule in RULES)
