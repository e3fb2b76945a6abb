import re

import pytest

from dejavu.redact import RULES, Rule
from dejavu.redact.rule import token


def test_a_token_is_one_of_its_prefixes_and_its_body() -> None:
    rule = token("acme", "Acme", "a. b_", "[0-9]{3}", "2020", "made up")
    assert rule.anchors == ("a.", "b_")
    assert rule.pattern.fullmatch("a.123")
    assert rule.pattern.fullmatch("b_123")
    assert not rule.pattern.fullmatch("ax123")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_is_well_formed(rule: Rule) -> None:
    assert re.fullmatch("[a-z0-9-]{2,16}", rule.name)
    assert rule.anchors
    assert all(len(anchor) >= 2 for anchor in rule.anchors)
    assert re.fullmatch(r"(?:19|20)[0-9]{2}|", rule.since)
    assert rule.source
    # A greedy run without an upper bound could be walked again from every place in it.
    pattern = re.sub(r"\[(?:\\.|[^\]\\])*\]", "C", rule.pattern.pattern)
    assert not re.search(r"(?<![\\(])(?:[*+]|\{\d+,\})(?![+?])(?<!\+\+)(?<!\*\+)(?<!\}\+)", pattern)
