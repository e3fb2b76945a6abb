"""A receiver of each protocol around a wrapped agent: bytes, order, rate, and silence where none listens."""

import json
import os
import re
from itertools import pairwise
from pathlib import Path

import pytest
from tests.factories.outer_terminal import DA1, KNOWS_STATUS, PLAIN, OuterTerminal, Puppet
from tests.sessions.reporters.test_outside import SCREENS

from dejavu.capsule.status_report import QUERY

Receiver = tuple[dict[str, str], dict[bytes, bytes], str, re.Pattern[bytes], list[str]]
RECEIVERS: dict[str, Receiver] = {
    "program status": ({}, KNOWS_STATUS, "", re.compile(rb"\x1b\]7501;state=(\w+)[^\x07\x1b]*\x1b\\"),
                       ["working", "blocked", "working", "clear"]),
    "iTerm2": ({"ITERM_SESSION_ID": "w0t0"}, PLAIN, "",
               re.compile(rb"\x1b\]21337;status=([^;]*);[^\x07\x1b]*\x1b\\"),
               ["Working\u2026", "Waiting", "Working\u2026", ""]),
    "orca": ({"ORCA_PANE_KEY": "t:1"}, PLAIN, "",
             re.compile(rb'\x1b\]9999;\{"state": "(\w+)"[^\x07\x1b]*\x1b\\'),
             ["working", "blocked", "working"]),
    "progress": ({}, PLAIN, "terminal_progress = true", re.compile(rb"\x1b\]9;4;([\d;]+)\x1b\\"),
                 ["3", "4;100", "3", "0"]),
    "nothing": ({}, PLAIN, "", re.compile(rb"\x1b\](?:7501;state|21337|9999|9;4|777|1337)()"), []),
}  # fmt: skip
QUICK = [(state, text, 0.03 + 0.02 * (number % 4)) for number in range(24)
         for state, text, _ in (SCREENS[number % 2],)]  # fmt: skip


def play(home: Path, folder: Path, name: str, screens: list[tuple[str, str, float]]) -> tuple[
    Puppet, OuterTerminal
]:  # fmt: skip
    marks, answers, setting, pattern, expected = RECEIVERS[name]
    config = home / ".config/dejavu/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f"[report]\n{setting}\n")
    environ = {"HOME": str(home), "TERM": "xterm-256color", "PATH": os.environ["PATH"],
               "DEJAVU_WARM_OBSERVER": "off", **marks}  # fmt: skip
    puppet = Puppet(folder / "agent", "claude", screens, after=12)
    terminal = OuterTerminal(puppet.argv, environ, answers)
    try:
        assert terminal.run(lambda: puppet.is_done)
        enough = len(expected) - 1 if screens is SCREENS else 0
        terminal.run(lambda: 0 < enough <= len(terminal.matches(pattern)), 8 if enough > 0 else 1.5)
    finally:
        terminal.close()
    return puppet, terminal


@pytest.mark.parametrize("name", RECEIVERS)
def test_a_receiver_reads_every_state_in_order_and_the_agent_nothing(
    home: Path, tmp_path: Path, name: str
) -> None:
    puppet, terminal = play(home, tmp_path, name, SCREENS)
    *_, pattern, expected = RECEIVERS[name]
    assert [match[1].decode() for _, match in terminal.matches(pattern)] == expected
    assert puppet.typed == b""
    # All the rest is the agent's, to the byte.
    asked = terminal.shown.count(QUERY)
    assert asked <= 1
    rest = pattern.sub(b"", terminal.shown).replace(QUERY + DA1, b"").replace(QUERY, b"")
    drawn = json.loads((tmp_path / "agent/plan").read_text())["screens"]
    assert rest.partition(b"dejavu")[0].strip() == b"".join(text.encode() for _, text, _ in drawn)


@pytest.mark.parametrize("name", ["program status", "iTerm2", "orca"])
def test_a_receiver_is_told_at_most_ten_times_a_second(
    home: Path, tmp_path: Path, name: str
) -> None:
    _, terminal = play(home, tmp_path, name, QUICK)
    told = [at for at, _ in terminal.matches(RECEIVERS[name][3])]
    assert len(told) >= 2
    # The last takes the status back as the agent ends; reads may be late, so ten are measured.
    assert all(last - first > 0.85 for first, last in zip(told[:-1], told[10:-1], strict=False))
    assert sum(later - sooner < 0.05 for sooner, later in pairwise(told[:-1])) <= len(told) // 4
