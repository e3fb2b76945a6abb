"""`dejavu at` prints a moment, for people and for programs."""

from collections.abc import Callable

from tests.factories.archive import Result
from tests.factories.edits import START, Script

from dejavu.archive import Archive
from dejavu.config.paths import archive_location
from dejavu.model import to_iso


def test_a_moment(home: object, dejavu: Callable[..., Result]) -> None:
    script = Script("one", "/w")
    script.user("write it")
    script.call("Write", {"file_path": "/w/a", "content": "x\n"})
    script.says("written")
    with Archive.open(archive_location()) as archive:
        archive.put(script.conversation())
    when = str(to_iso(START + 35))
    shown = dejavu("at", when, "last", "--json").json
    (one,) = shown["conversations"]
    assert [turn["seq"] for turn in one["turns"]] == [0, 1, 2]
    assert (one["state"], one["open_calls"]) == ("working", [])
    assert [(file["path"], file["certain"]) for file in one["files"]] == [("/w/a", False)]
    text = dejavu("at", when, "/w").out
    assert "turns 1 to 3 of 4; the model still had all" in text
    assert "last prompt: write it" in text
    assert "written" not in text
    assert dejavu("at", "2020-01-01").code == 3
    assert dejavu("at", "nonsense").code == 2
