"""Angles that need no terminal: a few rounds of each, all of which must hold."""

import random
import time
from types import ModuleType

import pytest
from tests.team_rights import Site

from .budget import Budget
from .trust import (
    LEAST,
    Tally,
    archived_paths,
    endless_sources,
    environment_secrets,
    final_sync,
    foreign_places,
    guard,
    run,
    secret_halves,
    secret_pairs,
    team_rights,
)


@pytest.mark.parametrize(
    ("angle", "rounds"),
    [
        (secret_halves, 60),
        (environment_secrets, 200),
        (guard, 6),
        (final_sync, 60),
        (endless_sources, 2),
        (team_rights, 40),
        (archived_paths, 30),
        (foreign_places, 4),
    ],
    ids=lambda value: value.ANGLE if isinstance(value, ModuleType) else str(value),
)
def test_a_few_rounds_hold(angle: ModuleType, rounds: int) -> None:
    tally = Tally()
    angle.attack(Budget(seconds=300, count=rounds, seed=11), tally)
    assert tally.fell == []
    assert tally.held > 0 or tally.skipped


class _Angle:
    """An angle that takes all of its time to prepare."""

    FINDINGS = ("none",)

    def __init__(self, name: str, wait: float, tries: int) -> None:
        self.ANGLE, self._wait, self._tries = name, wait, tries

    def attack(self, budget: Budget, tally: Tally) -> None:
        time.sleep(self._wait)
        while tally.tried < self._tries and budget.more():
            tally.record(True, "")


def test_every_angle_is_tried_or_says_why_not() -> None:
    outcome = run(Budget(0.2, 400, 1), [_Angle("slow", 1.2, 99), _Angle("idle", 0.0, 0)])
    assert outcome.rounds == LEAST
    assert outcome.failures == ["idle: nothing was tried, and it does not say why"]


@pytest.mark.parametrize(
    "opened",
    [
        "create policy everyone on {0}.dejavu_conversations for select using (true)",
        "grant update on all tables in schema {0} to dejavu_{0}_reader",
    ],
)
def test_what_is_open_to_members_is_found(opened: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare = team_rights.prepare

    def weaker(site: Site) -> None:
        prepare(site)
        site.server.run(opened.format(site.schema))

    monkeypatch.setattr(team_rights, "prepare", weaker)
    tally = Tally()
    team_rights.attack(Budget(seconds=120, count=60, seed=3), tally)
    if tally.skipped:
        pytest.skip(tally.skipped)
    assert tally.fell


@pytest.mark.fault("h1")
@pytest.mark.parametrize(
    "layouts", [secret_pairs.SEEN, secret_pairs.HELD_OUT], ids=["seen", "held out"]
)
def test_pairs_hold(layouts: tuple[str, ...]) -> None:
    chance = random.Random(11)
    fell = [fell for _ in range(150) if (fell := secret_pairs.falls(chance, layouts))]
    # Known: a CSV whose heading is a bare `key`, with its line ends escaped in JSON.
    assert [one for one in fell if "in jsonl" not in one] == []
    assert len(fell) <= 1
