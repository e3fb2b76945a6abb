"""A wrapped agent plays the same session as a bare one, and ends on the same screen."""

import re
from collections.abc import Callable

import pytest
from tests.e2e.rigrun import Run

pytestmark = [pytest.mark.e2e, pytest.mark.shared]

# What differs between two runs of the same agent without a wrapper too: times, counts, spinners'
# verbs, folders, costs.
_VARYING = [
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}"), "UUID"),
    (re.compile(r"(?m)^ ?rig-model +thinking.*\n?.*context:.*$"), ""),  # Kimi's tips take turns
    (re.compile(r"/\S+"), "PATH"),
    (re.compile(r"[\d.,:]+\s*(s|ms|m|h|k|%|tokens|AM|PM)?\b"), "N"),
    (re.compile(r"(?m)^\s*[✻✶✢✳·✽∴].*$"), ""),
    (re.compile(r"\s+"), " "),
]


def stable(screen: str) -> str:
    for pattern, replacement in _VARYING:
        screen = pattern.sub(replacement, screen)
    return screen.strip()


@pytest.mark.parametrize("agent", ["claude", "kimi", "amp-old"])
def test_wrapped_and_bare_are_the_same(agent: str, rig: Callable[..., Run]) -> None:
    bare, wrapped = rig(agent), rig(agent, wrap=[])
    assert wrapped.played == bare.played == len(bare.truth["turns"])
    assert wrapped.truth["quit_cleanly"] == bare.truth["quit_cleanly"]
    assert stable(wrapped.final()) == stable(bare.final())
