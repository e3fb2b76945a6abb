"""The tables of vendors' tokens: one of each form, whole; and one of its kind that is too short."""

import random
import re
import string

import pytest
from benchmarks.redact.formats import FORMATS, draw

from dejavu.redact import RULES, Redactor, vendors_ai, vendors_cloud, vendors_code, vendors_saas

REDACT = Redactor(b"key").redact
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
TABLES = (vendors_ai, vendors_cloud, vendors_code, vendors_saas)
BARE = [(vendor, template) for vendor, template in FORMATS if "«" not in template]
_FIELD = re.compile(r"\{(\w):(\d+)(?:-\d+)?\}|\{uuid\}")


def run(count: int, alphabet: str = LETTERS) -> str:
    return "".join(random.Random(count).choices(alphabet, k=count - 1)) + "7"


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("anthropic", "sk-ant-api03-" + run(95)),
        ("openai", "sk-proj-" + run(120)),
        ("sk-key", "sk-" + run(48)),
        ("sk-key", "sk-" + run(32, HEX)),
        ("openrouter", "sk-or-v1-" + run(64, HEX)),
        ("kimi", "sk-kimi-" + run(64)),
        ("huggingface", "hf_" + run(34)),
        ("groq", "gsk_" + run(52)),
        ("xai", "xai-" + run(80)),
        ("perplexity", "pplx-" + run(48)),
        ("replicate", "r8_" + run(37)),
        ("langsmith", "lsv2_pt_" + run(32, HEX) + "_" + run(10, HEX)),
        ("cursor", "crsr_" + run(64, HEX)),
        ("nvidia", "nvapi-" + run(64)),
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


@pytest.mark.parametrize(("vendor", "template"), FORMATS)
def test_a_drawn_example_is_masked(vendor: str, template: str) -> None:
    text, start, end = draw(template, random.Random(f"{vendor} {template} 1"))
    secret = "".join(text[start:end].split())
    out = REDACT(f"x {text} y")
    assert not any(secret[i : i + 10] in out for i in range(len(secret) - 9)), out
    assert out.startswith("x ")
    assert out.endswith(" y")


@pytest.mark.parametrize(("vendor", "template"), BARE)
def test_what_only_begins_so_stays(vendor: str, template: str) -> None:
    """The same prefix before a few characters is a word of documentation."""
    short = _FIELD.sub(lambda field: f"{{{field[1] or 'h'}:3}}", template).replace("A3-", "A3")
    text, _, _ = draw(short, random.Random(5))
    assert REDACT(f"x {text} y") == f"x {text} y"


def test_every_rule_belongs_to_a_vendor_and_names_a_document() -> None:
    assert all(rule.vendor and rule.source for table in TABLES for rule in table.RULES)


def test_names_of_rules_fit_the_marker() -> None:
    assert all(re.fullmatch("[a-z0-9-]+", rule.name) for rule in RULES)
