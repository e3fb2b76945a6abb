"""Secrets on every agent's screen; the drill of `make soak`, one session of each in the suite."""

import random
from pathlib import Path

import pytest

from dejavu.redact import Redactor

from . import screen_secrets as leaks


@pytest.mark.parametrize("chrome", leaks.CHROMES, ids=lambda chrome: chrome.agent)
def test_no_piece_of_a_secret_reaches_the_disk(chrome: leaks.Chrome, home: Path) -> None:
    chance = random.Random(f"suite {chrome.agent}")
    for number in range(2):
        done = leaks.session(chrome, chance)
        assert not leaks.found(home, done.secrets, done.archived), f"session {number}"


def test_without_redaction_they_would_be_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Redactor, "redact", lambda _, text: text)
    monkeypatch.setattr(Redactor, "mask_block", lambda _, rows, *_a, **_k: list(rows))
    chrome = next(chrome for chrome in leaks.CHROMES if chrome.agent == "claude")
    done = leaks.session(chrome, random.Random(3))
    assert done.report["kept"] == "screen"
    places = leaks.found(home, done.secrets, done.archived)
    assert "an archived turn" in places
    assert any(place.startswith("conversation") for place in places)
