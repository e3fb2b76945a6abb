"""The bound up to which a pattern runs without a time limit."""

import time

import pytest
import regex

from dejavu.scrapers import default_packs
from dejavu.scrapers.pattern import safe_length

ALWAYS_LIMITED = (
    r"^(a+)+$", r"(a|b)*c", r"(?:\d+ ?){2,}x", r"^(.)\1", r"(?P<n>a)(?P=n)", r"(?R)?a", r"a(?1)",
    r"(?:abc){e<=2}", r"[[a-z]--[b]]*",
)  # fmt: skip


@pytest.mark.parametrize("source", ALWAYS_LIMITED)
def test_a_repeated_group_or_what_is_not_understood_is_always_limited(source: str):
    assert safe_length(source) == -1


@pytest.mark.parametrize("source", [r"^a*a*a*$", r"^.*.*.*.*x", r"^\s*│.*│\s*$", r"^a?a?a?a?a*b"])
def test_a_hostile_text_of_the_safe_length_takes_less_than_the_limit(source: str):
    pattern, length = regex.compile(source, regex.VERSION1), min(safe_length(source), 4000)
    assert length > 0
    for text in ("a" * length, " " * length, "│" * length, "a" * (length - 1) + "!"):
        started = time.process_time()
        pattern.match(text)
        assert time.process_time() - started < 0.5  # ten times the limit: the machine may be busy


def test_more_repetitions_make_less_text_safe():
    assert safe_length("a*") > safe_length("a*b*") > safe_length("a*b*c*") > safe_length("a*b*c*d*")
    assert safe_length("a*b*", places=True) < safe_length("a*b*")


def test_the_built_in_rules_for_rows_mostly_need_no_limit():
    packs = default_packs()
    lengths = [
        safe_length(line.first.source) for agent in packs.agents for line in packs[agent].lines
    ]
    assert sum(length >= 80 for length in lengths) > len(lengths) / 2
