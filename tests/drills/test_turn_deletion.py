"""A turn that was taken out is nowhere: the whole data and state tree is searched, decompressed.

Nor does it come back: with the next sync, with a file that its agent wrote anew, with `reparse`.
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.drills.faults import AGENTS
from tests.drills.session_files import HOMES
from tests.drills.test_deletion import index_all, places_of
from tests.factories.archive import Result

from dejavu.archive.access import open_archive
from dejavu.model import Role, Turn
from dejavu.model.conversation import turn_name
from dejavu.services.prune_turns import texts_of


def conversations() -> dict[str, tuple[Turn, ...]]:
    with open_archive() as archive:
        return {one.id: archive.get(one.id).turns for one in archive.scan()}


def said(turn: Turn) -> tuple[Any, ...]:
    return (turn.role, turn.parts, turn.at, turn.native_id, turn.model)


def check_gone(home: Path, name: str, seq: int, before: tuple[Turn, ...]) -> None:
    """No text that only this turn had is anywhere, and the other turns are as they were."""
    kept = "\0".join(text for turn in before if turn.seq != seq for text in texts_of(turn))
    needles = {
        needle.encode()
        for text in texts_of(before[seq])
        for line in text.splitlines()
        for needle in (line.strip(), json.dumps(line.strip())[1:-1])
        if len(line.strip()) >= 10 and line.strip() not in kept
    }
    data, state = home / ".local/share/dejavu", home / ".local/state/dejavu"
    assert needles
    assert places_of(data, state, needles=tuple(needles)) == []
    after = conversations()[name]
    assert len(after) == len(before)
    assert [said(t) for t in after if t.seq != seq] == [said(t) for t in before if t.seq != seq]
    assert not any(text in kept or needle.decode() in text for text in texts_of(after[seq])
                   for needle in needles)  # fmt: skip


@pytest.mark.parametrize("agent", AGENTS)
def test_no_way_brings_a_turn_back(agent: str, home: Path, dejavu: Callable[..., Result]) -> None:
    shutil.copytree(HOMES / agent, home, dirs_exist_ok=True)
    assert dejavu("sync").code == 0
    index_all()
    before = conversations()
    name = max(before, key=lambda name: len(before[name]))
    turns = before[name]
    for role in (Role.USER, Role.ASSISTANT):
        texts = {t.seq: sum(map(len, texts_of(t))) for t in turns if t.role is role}
        seq = max(texts, key=lambda seq: texts[seq])
        assert dejavu("prune", "--turn", turn_name(name, seq), "--yes").code == 0
        check_gone(home, name, seq, turns)
        turns = conversations()[name]
    for path in home.rglob("*.json*"):
        if ".local" not in path.parts:
            os.utime(path)
    for command in (("sync",), ("reparse",), ("sync", "--final"), ("verify",)):
        assert dejavu(*command).code == 0
        assert [said(turn) for turn in conversations()[name]] == [said(turn) for turn in turns]
