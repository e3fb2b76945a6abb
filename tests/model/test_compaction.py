"""Compactions are found in the turns, and what the model still had is said only where it is known."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dejavu.model import Extension, Role, Text, Turn
from dejavu.model.compaction import (
    NONE,
    PROMPTS,
    compacted,
    compactions,
    kept,
    still_there,
)

USER, ASSISTANT, SYSTEM = Role.USER, Role.ASSISTANT, Role.SYSTEM
BOUNDARY = Turn(role=SYSTEM, parts=(Extension("any.compact_boundary", {}),))


def numbered(*turns: Turn) -> list[Turn]:
    return [replace(turn, seq=seq, native_id=f"n{seq}") for seq, turn in enumerate(turns)]


def said(role: Role) -> Turn:
    return Turn(role=role, parts=(Text("x"),))


def summary(what: str = "", *, since: str = "") -> Turn:
    return Turn(role=SYSTEM, parts=(Text("so far"),), meta=compacted(what, since=since))


def test_a_boundary_and_its_summary_are_one() -> None:
    turns = numbered(said(USER), BOUNDARY, summary(NONE), said(USER), summary(NONE))
    assert [(one.seq, one.last) for one in compactions(turns)] == [(1, 2), (4, 4)]
    assert still_there(turns) == [False, False, False, False, True]


def test_a_request_that_says_what_stays_belongs_to_the_summary_after_it() -> None:
    asked = Turn(role=SYSTEM, meta=dict(kept(since="n1")))
    turns = numbered(said(USER), said(ASSISTANT), asked, summary(), said(USER))
    assert [one.seq for one in compactions(turns)] == [2]
    assert still_there(turns) == [False, True, True, True, True]
    assert compactions(turns[:3]) == [], "it was asked for and did not come"


def test_what_is_not_said_is_unknown() -> None:
    before = (said(USER), said(ASSISTANT))
    assert still_there(numbered(*before, summary())) == [None, None, True]
    assert still_there(numbered(*before, summary(PROMPTS))) == [None, False, True]
    assert still_there(numbered(*before, summary(since="gone"))) == [None, None, True]
    assert still_there(numbered(*before)) == [True, True]


@given(st.lists(st.sampled_from([said(USER), said(ASSISTANT), BOUNDARY, summary(NONE)])))
def test_turns_from_the_last_compaction_on_stay(some: list[Turn]) -> None:
    turns = numbered(*some)
    points, stays = compactions(turns), still_there(turns)
    assert len(stays) == len(turns)
    first = points[-1].seq if points else 0
    assert all(stays[first:])
    assert not any(stays[:first]) or points[-1].what != NONE
    assert all(a.last < b.seq - 1 for a, b in pairwise(points))
