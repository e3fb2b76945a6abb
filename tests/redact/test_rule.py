import re
from collections.abc import Iterator
from re import _constants, _parser
from typing import Any

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


# Runs of these end where their anchor's own blank or dash would stand, so they cannot overlap.
_DISJOINT = {"private-key", "putty-key", "bearer", "auth-header"}


def _repeats(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield operator and upper bound of every repetition in a parsed pattern."""
    for operator, argument in tree:
        if operator in (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT):
            yield operator, argument[1]
            yield from _repeats(argument[2])
        elif operator is _constants.SUBPATTERN:
            yield from _repeats(argument[3])
        elif operator is _constants.BRANCH:
            for branch in argument[1]:
                yield from _repeats(branch)
        elif operator in (_constants.ASSERT, _constants.ASSERT_NOT):
            yield from _repeats(argument[1])
        elif operator is _constants.ATOMIC_GROUP:
            yield from _repeats(argument)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_failing_attempt_costs_a_constant(rule: Rule) -> None:
    """What has no bound gives nothing back, and counts whatever a validator says."""
    if rule.name in _DISJOINT:
        return
    judged = rule.validator is not Rule("x", "", (), rule.pattern).validator
    for operator, most in _repeats(_parser.parse(rule.pattern.pattern, rule.pattern.flags)):
        if most is _constants.MAXREPEAT:
            assert operator is _constants.POSSESSIVE_REPEAT
            assert not judged
