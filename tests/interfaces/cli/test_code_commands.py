from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.edits import Script

from dejavu.archive import Archive
from dejavu.config.paths import archive_location

ERROR = "Exit code 1\nfatal: the harbor\x1b[5m has no copper lantern"


@pytest.fixture
def script(home: Path) -> Script:
    script = Script("one", "/w/shop")
    script.user("light the harbor lantern")
    script.run("./lamp on", ERROR, error=True)
    script.call("Write", {"file_path": "/w/shop/harbor.txt", "content": "copper\n"})
    script.run("./lamp on", "lit")
    script.edit("/w/shop/harbor.txt", "copper", "brass")
    with Archive.open(archive_location()) as archive:
        archive.put(script.conversation())
    return script


def test_fix(
    dejavu: Callable[..., Result], script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = dejavu("fix", "fatal: the harbor has no copper lantern")
    assert "passed: #6 ./lamp on" in shown.out
    assert "/w/shop/harbor.txt" in shown.out
    assert "\x1b" not in shown.out
    monkeypatch.setattr("sys.stdin", StringIO(ERROR))
    assert dejavu("fix", "-", "--json").json["fixes"][0]["passed"]["seq"] == 5
    assert dejavu("fix").code == 0
    nothing = dejavu("fix", "another thing entirely is missing here")
    assert (nothing.code, "paste the whole message, or use `dejavu search`" in nothing.err) == (
        3,
        True,
    )


def test_how_files_and_recover(dejavu: Callable[..., Result], script: Script) -> None:
    count = dejavu("show", script.id, "--json").json["turn_count"]
    assert "1 worked, 1 failed" in dejavu("how", "lamp").out
    assert dejavu("how", "lamp", "--json").json["usages"][0]["command"] == "./lamp on"
    assert dejavu("how", "nothing").code == 3
    assert dejavu("files", "lantern").out.startswith("/w/shop/harbor.txt  2 changes")
    assert dejavu("files", "nothing").code == 3
    for name in ("last", script.id):
        listed = dejavu("files", name)
        assert f"harbor.txt  2 changes, the last {script.id}#8 " in listed.out
    assert dejavu("recover", "/w/shop/harbor.txt", "--at", f"{script.id}#8").out == "copper\n"
    assert (
        dejavu("recover", "/w/shop/harbor.txt", "--at", "now", "--json").json["content"]
        == "brass\n"
    )
    for name in (script.id[:6], "last"):
        at = dejavu("recover", "/w/shop/harbor.txt", "--at", f"{name}#8")
        assert (at.code, at.out) == (0, "copper\n")
    unknown = dejavu("recover", "/w/shop/harbor.txt", "--at", "zzzz#7")
    assert (unknown.code, "zzzz" in unknown.err) == (3, True)
    other = dejavu("recover", "/w/shop/harbor.txt", "--at", "last#1")
    assert (other.code, f"{script.id}#4, {script.id}#8" in other.err) == (3, True)
    first = dejavu("recover", "/w/shop/harbor.txt", "--at", "last#4")
    assert (first.code, "nothing earlier is known; it probably created it" in first.err) == (
        3,
        True,
    )
    assert dejavu("recover", "/nothing", "--at", "now").code == 3
    last = dejavu("recover", "/w/shop/harbor.txt", "--at", f"{script.id}#last")
    assert last.out == dejavu("recover", "/w/shop/harbor.txt", "--at", f"{script.id}#{count}").out
    for turns in ("#-1", "#2-4"):
        assert dejavu("recover", "/w/shop/harbor.txt", "--at", f"{script.id}{turns}").code == 2
    assert dejavu("recover", "/w/shop/harbor.txt", "--at", "soon").code == 2


@pytest.mark.parametrize("command", ["fix", "how", "files"])
def test_an_empty_text_is_refused(
    command: str, dejavu: Callable[..., Result], script: Script
) -> None:
    refused = dejavu(command, " ")
    assert refused.code == 2
    assert "no text in" in refused.err
