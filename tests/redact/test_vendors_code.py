import random
import string

import pytest

from dejavu.redact import Redactor
from dejavu.redact.vendors_code import RULES

REDACT = Redactor(b"key").redact
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def run(count: int, alphabet: str = LETTERS) -> str:
    return "".join(random.Random(count).choices(alphabet, k=count - 1)) + "7"


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("github", "ghp_" + run(36)),
        ("github", "ghs_" + run(40) + "." + run(30) + "." + run(30)),
        ("github-pat", "github_pat_" + run(22) + "_" + run(59)),
        ("gitlab", "glpat-" + run(20)),
        ("gitlab", "glpat-" + run(27) + ".01." + run(9)),
        ("npm", "npm_" + run(36)),
        ("pypi", "pypi-AgEIcHlwaS5vcmc" + run(140)),
        ("terraform", run(14) + ".atlasv1." + run(67)),
        ("vault", "hvs." + run(24)),
        ("circleci", "CCIPAT_" + run(22) + "_" + run(40, HEX)),
        ("docker", "dckr_pat_" + run(27)),
        ("sentry", "sntrys_eyJ" + run(120) + "_" + run(43)),
        ("grafana", "glsa_" + run(32) + "_" + run(8, HEX)),
        ("dynatrace", "dt0c01." + run(24).upper() + "." + run(64).upper()),
        ("1password-key", "A3-" + "-".join(run(n).upper() for n in (6, 6, 5, 5, 5))),
    ],
)
def test_a_token_in_the_vendor_s_form_is_masked_whole(name: str, secret: str) -> None:
    for before, after in (("", ""), ("use ", " now"), ("('", "')"), ("x\n", "\ny")):
        out = REDACT(before + secret + after)
        assert out.startswith(f"{before}[redacted:{name}:")
        assert out.endswith("]" + after)


def test_every_rule_belongs_to_a_vendor() -> None:
    assert all(rule.vendor for rule in RULES)
