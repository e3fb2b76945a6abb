import random
import string

import pytest

from dejavu.redact import Redactor
from dejavu.redact.vendors_ai import RULES

REDACT = Redactor(b"key").redact
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


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
    ],
)
def test_a_token_in_the_vendor_s_form_is_masked_whole(name: str, secret: str) -> None:
    for before, after in (("", ""), ("use ", " now"), ("('", "')"), ("x\n", "\ny")):
        out = REDACT(before + secret + after)
        assert out.startswith(f"{before}[redacted:{name}:")
        assert out.endswith("]" + after)


def test_every_rule_belongs_to_a_vendor() -> None:
    assert all(rule.vendor for rule in RULES)
