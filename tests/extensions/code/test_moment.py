"""Random moments of histories that were really written and committed: turns exact, certain means right."""

import random
from hashlib import sha256
from pathlib import Path

import pytest
from tests.factories.edits import START, Script, git
from tests.factories.file_truth import FileTruth

from dejavu.archive import Archive
from dejavu.extensions.code.index import EditIndex
from dejavu.extensions.code.moment import conversations_at, moment
from dejavu.model import (
    Conversation,
    NotFoundError,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
)


def history(folder: Path, generator: random.Random) -> tuple[Script, FileTruth]:
    """An agent writes and edits, a person changes things unseen, both commit."""
    folder.mkdir()
    git(folder, "init", "-q")
    script = Script("one", folder)
    paths = [folder / "a.txt", folder / "b.txt"]
    truth = FileTruth()

    def now(path: Path) -> str:
        return path.read_text() if path.exists() else ""

    def put(path: Path, text: str) -> None:
        path.write_text(text)
        truth.put(path, script.at - 10, text.encode())  # the turn of the call, not its answer's
        truth.is_busy(path, script.at - 10, script.at)

    script.user("begin")
    for number in range(generator.randrange(6, 14)):
        path = generator.choice(paths)
        act = generator.choice(["write", "edit", "edit", "person", "commit", "commit", "talk"])
        if act == "write":
            text = f"one {number}\ntwo {number}" + generator.choice(["", "\n"])
            script.call("Write", {"file_path": str(path), "content": text})
            put(path, text)
            truth.sees(path, script.at - 10, overwrites=True)
        elif act == "edit" and (text := now(path)):
            old = text.split("\n")[0]
            script.edit(path, old, f"new {number}")
            put(path, text.replace(old, f"new {number}", 1))
        elif act == "person":
            text = f"mine {number}\n{now(path)}"
            path.write_text(text)
            truth.put(path, script.at, text.encode(), unseen=True)
            script.at += 10
        elif act == "commit" and any(one.exists() for one in paths):
            script.at += 10
            git(folder, "add", "-A")
            git(folder, "commit", "-q", "--allow-empty", "-m", "x", at=script.at)
            for one in truth.paths:
                truth.sees(one, script.at, exact=True)
            script.at += 10
        else:
            script.user(f"go on {number}")
    return script, truth


def test_turns_are_exact_and_certain_hashes_are_right(tmp_path: Path) -> None:
    certain = asked = 0
    for seed in range(12):
        generator = random.Random(seed)
        script, truth = history(tmp_path / str(seed), generator)
        conversation = script.conversation()
        with Archive.open(tmp_path / f"archive-{seed}") as archive:
            archive.put(conversation)
            with EditIndex(archive) as index:
                index.catch_up()
                for _ in range(25):
                    at = generator.uniform(START + 10, script.at + 20)
                    found = moment(archive, index, conversation, at)
                    wanted = [turn.seq for turn in conversation.turns if (turn.at or 0) <= at]
                    assert [turn.seq for turn in found.turns] == wanted
                    assert all(found.kept)
                    for file in found.files:
                        asked += 1
                        if file.certain:
                            certain += 1
                            held = truth.held(Path(file.path), at)
                            assert file.sha256 == sha256(held).hexdigest(), (seed, at)
                        assert bool(file.sha256) == (file.certain is not None)
    assert certain > asked / 10, f"{certain} of {asked}"


def test_those_that_went_on_then_else_the_last_before(tmp_path: Path) -> None:
    first, second = Script("first", "/w/a"), Script("second", "/w/b", at=START + 1_000)
    with Archive.open(tmp_path / "archive") as archive:
        for script in (first, second):
            script.user("hi")
            script.says("hello")
            archive.put(script.conversation())
        assert [one.id for one in conversations_at(archive, START + 15)] == [first.id]
        assert [one.id for one in conversations_at(archive, START + 500)] == [first.id]
        assert [one.id for one in conversations_at(archive, START + 5_000)] == [second.id]
        late = conversations_at(archive, START + 5_000, folder="/w/a")
        assert [one.id for one in late] == [first.id]
        with pytest.raises(NotFoundError):
            conversations_at(archive, START)
        with pytest.raises(NotFoundError):
            conversations_at(archive, START + 500, folder="/w/b")


def test_a_deleted_file_is_unknown(tmp_path: Path) -> None:
    script = Script("one", "/w")
    script.call("Write", {"file_path": "/w/a", "content": "x\n"})
    script.call("apply_patch", "*** Begin Patch\n*** Delete File: /w/a\n*** End Patch")
    with Archive.open(tmp_path / "archive") as archive, EditIndex(archive) as index:
        archive.put(script.conversation())
        index.catch_up()
        for at, digest in ((START + 15, sha256(b"x\n").hexdigest()), (script.at, "")):
            (file,) = moment(archive, index, script.conversation(), at).files
            assert file.sha256 == digest


def test_a_call_without_an_answer_is_open(tmp_path: Path) -> None:
    script = Script("one", "/w")
    script.user("run it")
    script.run("make")
    with Archive.open(tmp_path / "archive") as archive, EditIndex(archive) as index:
        archive.put(script.conversation())
        index.catch_up()
        assert moment(archive, index, script.conversation(), START + 25).open_calls == ("Bash",)
        assert moment(archive, index, script.conversation(), START + 30).open_calls == ()


def _turn(role: Role, at: float, part: Text | ToolCall | ToolCallResponse) -> Turn:
    return Turn(role=role, at=at, parts=(part,))


def test_the_state_follows_from_the_turns_around_it(home: Path) -> None:
    call = ToolCall(id="c", name="Bash", arguments={"command": "make"})
    turns = (
        _turn(Role.USER, 10, Text("build it")),
        _turn(Role.ASSISTANT, 20, call),
        _turn(Role.TOOL, 30, ToolCallResponse(id="c", response="ok")),
        _turn(Role.ASSISTANT, 40, Text("It is built.")),
        _turn(Role.USER, 50, Text("and the tests?")),
        _turn(Role.USER, 60, Text("stop, lint first")),
        _turn(Role.ASSISTANT, 70, Text("Linted.")),
    )
    held = Conversation(id="c" * 16, agent="claude", workspace="/w").with_turns(turns)
    with Archive.open(home / "archive") as archive, EditIndex(archive) as index:
        archive.put(held)
        index.catch_up()
        states = [
            moment(archive, index, archive.summary(held.id), at).state for at in range(15, 80, 10)
        ]
    assert states == ["working", "unknown", "working", "idle", "unknown", "working", "unknown"]


def test_a_call_without_an_answer_is_over_with_the_next_prompt(home: Path) -> None:
    call = ToolCall(id="c", name="Bash", arguments={"command": "make"})
    turns = (
        _turn(Role.USER, 10, Text("build it")),
        _turn(Role.ASSISTANT, 20, call),
        _turn(Role.USER, 30, Text("never mind")),
        _turn(Role.ASSISTANT, 40, Text("As you like.")),
    )
    held = Conversation(id="d" * 16, agent="claude", workspace="/w").with_turns(turns)
    with Archive.open(home / "archive") as archive, EditIndex(archive) as index:
        archive.put(held)
        index.catch_up()
        summary = archive.summary(held.id)
        calls = [moment(archive, index, summary, at).open_calls for at in (25, 35, 45)]
    assert calls == [("Bash",), (), ()]
