"""Each format of `benchmarks/redact_formats.py`, and one of its own kind that is too short."""

import random
import re

import pytest
from benchmarks.redact_formats import FORMATS, draw

from dejavu.redact import RULES, Redactor
from dejavu.redact.vendors_more import RULES as MORE

REDACT = Redactor(b"key").redact
BARE = [(vendor, template) for vendor, template in FORMATS if "«" not in template]
_FIELD = re.compile(r"\{(\w):(\d+)(?:-\d+)?\}|\{uuid\}")


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
    assert all(rule.vendor and rule.source for rule in MORE)


def test_names_of_rules_fit_the_marker() -> None:
    assert all(re.fullmatch("[a-z0-9-]+", rule.name) for rule in RULES)
