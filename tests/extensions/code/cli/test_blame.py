import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.edits import START, Script, git

from dejavu.archive import Archive
from dejavu.config.paths import archive_location

TEXT = "answer = ask(question, patience=30, retries=budget.left)"


@pytest.fixture
def path(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    work = home / "work"
    work.mkdir()
    git(work, "init", "-q", "-b", "main")
    path = work / "a b.py"
    script = Script("one", work)
    script.user("ask\x1b[31m with patience")
    script.call("Write", {"file_path": str(path), "content": f"{TEXT}\nshort\n"})
    path.write_text(f"{TEXT}\nshort\n\x1b]0;evil\x07\n")
    with Archive.open(archive_location()) as archive:
        archive.put(script.conversation())
    git(work, "add", "-A")
    git(work, "commit", "-qm", "one", at=START + 100)
    monkeypatch.chdir(work)
    return path


def test_lines_with_their_prompt(dejavu: Callable[..., Result], path: Path) -> None:
    shown = dejavu("blame", "a b.py")
    assert shown.code == 0
    assert "ask with patience" in shown.out
    assert "\x1b" not in shown.out
    document = dejavu("blame", f"{path}:1", "--json").json
    [stretch] = document["stretches"]
    assert (stretch["start_line"], stretch["end_line"], stretch["certain"]) == (1, 1, True)
    assert stretch["conversation"]["prompt"] == "ask\x1b[31m with patience"
    assert stretch["commit"]["subject"] == "one"
    trace = dejavu("blame", "a b.py", "--format", "agent-trace").json
    assert trace["files"][0]["path"] == "a b.py"
    exported = dejavu("export", "last", "--format", "agent-trace").json
    assert exported["files"] == trace["files"]


@pytest.mark.parametrize(
    ("words", "code"),
    [(("nothing.py",), 3), (("a b.py:9",), 3), (("a b.py:0",), 2), (("a b.py:2-1",), 2),
     (("a b.py", "--format", "x"), 2)],
)  # fmt: skip
def test_what_is_refused(
    dejavu: Callable[..., Result], path: Path, words: tuple[str, ...], code: int
) -> None:
    assert dejavu("blame", *words).code == code


def test_a_commit_and_its_note(dejavu: Callable[..., Result], path: Path) -> None:
    shown = dejavu("show", "--commit", "HEAD", "--json").json
    assert shown["lines"] == 3
    assert shown["conversations"][0]["agent"] == "claude"
    assert "no agent" in dejavu("show", "--commit", "HEAD").out
    note = dejavu("commit-note", "HEAD").out
    assert note.startswith(f"Dejavu-Conversation: {shown['conversations'][0]['id']} (claude, ")
    assert dejavu("commit-note").code == 3
    assert dejavu("show").code == 2
    assert dejavu("show", "--commit", "nothing").code == 3


@pytest.mark.fault("M-halves")
def test_the_title_in_a_note_is_redacted(dejavu: Callable[..., Result], home: Path) -> None:
    secret = "wJ1rXUtnFEMI/K7MDENGabPxRfiCYzzzLEKEYa1+"
    work = home / "work"
    work.mkdir()
    git(work, "init", "-q", "-b", "main")
    script = Script("two", work)
    script.user(f"{secret}\nis the secret of AKIA" + "ABCDEFGH23456789")
    script.call("Write", {"file_path": str(work / "a.py"), "content": f"{TEXT}\n"})
    (work / "a.py").write_text(f"{TEXT}\n")
    with Archive.open(archive_location()) as archive:
        archive.put(script.conversation())
    git(work, "add", "-A")
    git(work, "commit", "-qm", "one", at=START + 100)
    with contextlib.chdir(work):
        note = dejavu("commit-note", "HEAD", "--note").out
    assert "[redacted:aws-secret:" in note
    assert secret not in note
