import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.session_files import claude_session

from dejavu.archive.access import open_archive
from dejavu.model import Conversation


def test_looking_changes_nothing(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    looked = dejavu("prune", "--agent", "amp", "--dry-run")
    assert archived[0].id in looked.out
    assert "would be deleted" in looked.err
    assert len(dejavu("list", "--json").rows) == 2


def test_nobody_to_ask_means_nothing_goes(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("prune", "--agent", "amp").code == 2
    assert len(dejavu("list", "--json").rows) == 2


def test_what_was_chosen_is_gone_for_good(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    gone = dejavu("prune", "--agent", "amp", "--yes", "--json").json
    assert gone["conversations"] == [archived[0].id]
    assert [head["id"] for head in dejavu("list", "--json").rows] == [archived[1].id]
    assert dejavu("show", archived[0].id).code == 3
    assert dejavu("verify").code == 0


def test_criteria_are_needed_and_checked(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("prune", "--yes").code == 2
    assert dejavu("prune", "--pattern", "(", "--yes").code == 2
    for option in ("--pattern", "--workspace", "--agent", "--instance"):
        refused = dejavu("prune", option, "", "--yes")
        assert (refused.code, f"{option} is empty" in refused.err) == (2, True)
    assert len(dejavu("list", "--json").rows) == 2
    assert dejavu("prune", "--before", "1990-01-01", "--yes", "--json").json["conversations"] == []


def test_one_conversation_goes_by_its_id_and_what_it_says_later_stays(
    dejavu: Callable[..., Result], home: Path
) -> None:
    """What the guide offers in the place of deleting one turn."""
    claude_session(home, "the first thing", "a xylophagous beetle")
    claude_session(home, "the other session", name="s2")
    assert dejavu("sync").code == 0
    found = dejavu("search", "xylophagous", "--json").json["hits"]
    name = found[0]["conversation"]
    done = dejavu("prune", "--pattern", f"^{name}$", "--yes", "--json")
    assert done.json["conversations"] == [name]
    claude_session(home, "the first thing", "a xylophagous beetle", "and a third")
    assert dejavu("sync").code == 0
    assert dejavu("search", "xylophagous", "--json").json["hits"] == []
    shown = json.dumps(dejavu("show", name, "--json").json)
    assert "and a third" in shown
    assert "xylophagous" not in shown
    assert len(dejavu("list", "--json").rows) == 2
    with open_archive() as archive:
        raw = [b"".join(archive.sources.raw(key)) for key in archive.sources.all_keys()]
    assert any(b"and a third" in data for data in raw)
    assert not any(b"xylophagous" in data for data in raw)


@pytest.mark.parametrize("before", ["1m", "1M", "1 m ago", "1month"])
def test_a_minute_is_not_taken_for_a_month(dejavu: Callable[..., Result], before: str) -> None:
    refused = dejavu("prune", "--before", before, "--yes")
    assert (refused.code, "1mo" in refused.err) == (2, True)


def test_what_is_old_by_an_impossible_clock_stays_and_is_said(
    dejavu: Callable[..., Result], home: Path
) -> None:
    path = claude_session(home, "a session of a machine without a clock")
    path.write_text(path.read_text().replace("2026-11-21", "1971-01-01"))
    assert dejavu("sync").code == 0
    looked = dejavu("prune", "--before", "365d", "--yes")
    assert "0 conversations" in looked.err
    assert "--any-clock" in looked.err
    assert len(dejavu("list", "--json").rows) == 1
    assert dejavu("prune", "--before", "365d", "--any-clock", "--yes").code == 0
    assert dejavu("list", "--json").rows == []


def test_a_pattern_takes_the_queries_of_recalls_too(
    dejavu: Callable[..., Result], home: Path
) -> None:
    claude_session(home, "about frogs")
    assert dejavu("sync").code == 0
    for asked in ("the xylophagous beetle", "the frogs"):
        dejavu("recall", asked)
    looked = dejavu("prune", "--pattern", "xylophagous", "--dry-run", "--json").json
    assert (looked["conversations"], looked["recall_queries"]) == ([], 1)
    kept = dejavu("prune", "--pattern", "xylophagous", "--agent", "claude", "--yes", "--json").json
    assert kept["recall_queries"] == 0
    assert dejavu("prune", "--pattern", "xylophagous", "--yes").code == 0
    log = dejavu("recall-log", "--json").out
    assert ("xylophagous" in log, "the frogs" in log) == (False, True)
    files = [path for path in (home / ".local").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if b"xylophagous" in path.read_bytes()]
