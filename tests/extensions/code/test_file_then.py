"""What a file held at a moment: certain only where what came before and what came later agree."""

import random
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.factories.claude_project import ClaudeProject, claude_project
from tests.factories.edits import START, Script

from dejavu.archive import Archive
from dejavu.extensions.code.exact_change import Replacement, backwards, forwards, replacements
from dejavu.extensions.code.file_then import FileThen, file_then
from dejavu.extensions.code.index import EditIndex
from dejavu.extensions.code.moment import moment
from dejavu.ingest.sync import sync_homes
from dejavu.providers import Home

_TEXT = st.text("ab\n", max_size=12)


@given(st.text("ab\n", min_size=1, max_size=12), _TEXT, _TEXT)
def test_a_change_goes_back_to_the_only_text_it_can_have_come_from(
    before: str, old: str, new: str
) -> None:
    made = (Replacement(old or None, new),)
    after = forwards(before, made)
    if after is not None and (back := backwards(after, made)) is not None:
        assert back == before


@pytest.mark.parametrize(
    ("arguments", "made"),
    [
        ({"file_path": "a", "content": "x\n"}, (Replacement(None, "x\n"),)),
        ({"path": "a", "oldText": "x", "newText": "y"}, (Replacement("x", "y"),)),
        (
            {"filePath": "a", "oldString": "x", "newString": "y", "replaceAll": True},
            (Replacement("x", "y", all=True),),
        ),
        (
            {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}, {"old": 1}]},
            None,
        ),
        ("*** Begin Patch", None),
        ({"file_path": "a"}, None),
    ],
)
def test_only_exact_texts_are_followed(
    arguments: object, made: tuple[Replacement, ...] | None
) -> None:
    assert replacements(arguments) == made


def then(project: ClaudeProject, home: Path, path: Path, at: float) -> FileThen:
    project.save()
    with Archive.open(home / "archive") as archive, EditIndex(archive) as index:
        sync_homes(archive, [Home(home, {})])
        index.catch_up()
        return file_then(archive, index, None, str(path), at)


def sha(data: bytes) -> str:
    return sha256(data).hexdigest()


def test_what_claude_code_recorded_is_certain_between_two_of_its_changes(
    home: Path, tmp_path: Path
) -> None:
    project = ClaudeProject(tmp_path / "work", home, random.Random(1))
    path = tmp_path / "work" / "a.py"
    project.write(path, "one\ntwo")
    middle = project.at + 0.1
    project.talk()
    project.edit(path, "new")
    assert then(project, home, path, middle) == FileThen(
        str(path), sha(b"one\ntwo"), certain=True, reason=""
    )
    path.write_text("somebody's\n")
    last = then(project, home, path, project.at + 1)
    assert (last.certain, last.reason) == (False, "what came later has another content")


def test_the_file_as_it_is_confirms_the_last_change(home: Path, tmp_path: Path) -> None:
    project = ClaudeProject(tmp_path / "work", home, random.Random(1))
    path = tmp_path / "work" / "a.py"
    project.write(path, "one\n")
    assert then(project, home, path, project.at + 1).certain is True
    path.unlink()
    found = then(project, home, path, project.at + 1)
    assert (found.certain, found.reason) == (False, "nothing that came later confirms it")


def test_it_is_not_certain_while_a_tool_runs(home: Path, tmp_path: Path) -> None:
    project = ClaudeProject(tmp_path / "work", home, random.Random(1))
    path = tmp_path / "work" / "a.py"
    project.write(path, "one\n")
    project.talk()
    project.write(path, "two\n")
    ran = project.at - 0.01
    assert then(project, home, path, ran).reason == "it was being changed just then"


def test_how_lines_end_must_be_known(home: Path, tmp_path: Path) -> None:
    project = ClaudeProject(tmp_path / "work", home, random.Random(1))
    path = tmp_path / "work" / "windows.txt"
    project.puts(path, b"one\r\ntwo\r\n", project.at, unseen=True)
    project.edit(path, "new")
    middle = project.at + 0.1
    project.talk()
    project.edit(path, "newer")
    found = then(project, home, path, middle)  # not the file of now, which keeps its line ends
    assert (found.certain, found.reason) == (False, "nothing says how its lines ended")
    assert then(project, home, path, project.at + 1).sha256 == sha(path.read_bytes())


def test_a_call_without_a_result_says_nothing(home: Path) -> None:
    script = Script("one", "/w")
    script.call("Write", {"file_path": "/w/a", "content": "x\n"})
    script.turns.pop()
    with Archive.open(home / "archive") as archive, EditIndex(archive) as index:
        archive.put(script.conversation())
        index.catch_up()
        assert file_then(archive, index, None, "/w/a", script.at).certain is not True


def test_certain_is_never_wrong(home: Path, tmp_path: Path) -> None:
    certain = could = 0
    for seed in range(6):
        generator = random.Random(seed)
        place = tmp_path / f"home-{seed}"
        project = claude_project(tmp_path / f"work-{seed}", place, generator)
        with Archive.open(tmp_path / f"archive-{seed}") as archive, EditIndex(archive) as index:
            sync_homes(archive, [Home(place, {})])
            index.catch_up()
            (summary,) = archive.scan()
            for _ in range(20):
                at = generator.uniform(START + 1, project.at + 20)
                for file in moment(archive, index, summary, at).files:
                    path = Path(file.path)
                    could += project.truth.could_be_certain(path, at, project.at + 1_000)
                    if file.certain:
                        certain += 1
                        assert file.sha256 == sha(project.truth.held(path, at)), (seed, at, path)
    assert certain > could * 0.8


def test_a_read_between_two_equal_commits_is_what_it_held(home: Path, tmp_path: Path) -> None:
    project = ClaudeProject(tmp_path / "work", home, random.Random(1))
    path = tmp_path / "work" / "a.py"
    project.write(path, "one\n")
    project.commit()
    project.puts(path, b"somebody's\n", project.at + 5, unseen=True)
    project.at += 10
    project.read(path)
    middle = project.at + 1
    project.at += 10
    project.puts(path, b"one\n", project.at, unseen=True)
    project.commit()
    project.save()
    with Archive.open(home / "archive") as archive, EditIndex(archive) as index:
        sync_homes(archive, [Home(home, {})])
        index.catch_up()
        (summary,) = archive.scan()
        (found,) = moment(archive, index, summary, middle).files
    assert (found.certain, found.sha256) == (False, sha(b"somebody's\n"))


def test_later_bytes_say_how_lines_ended_before_a_change(home: Path, tmp_path: Path) -> None:
    project = ClaudeProject(tmp_path / "work", home, random.Random(1))
    path = tmp_path / "work" / "a.py"
    project.puts(path, b"one\ntwo\n", project.at, unseen=True)
    project.read(path)  # a text, whose lines may have ended otherwise
    middle = project.at + 0.1
    project.talk()
    project.edit(path, "new")
    found = then(project, home, path, middle)
    assert (found.certain, found.sha256) == (True, sha(b"one\ntwo\n"))


def test_a_file_that_was_changed_often_is_followed_near_the_moment(home: Path) -> None:
    script = Script("one", "/w")
    times = []
    for number in range(150):
        script.call("Write", {"file_path": "/w/a", "content": f"{number}\n"})
        times.append(script.at)
        script.call("Read", {"file_path": "/w/b"}, f"     1\t{number}")
    with Archive.open(home / "archive") as archive, EditIndex(archive) as index:
        archive.put(script.conversation())
        index.catch_up()
        for number in (0, 70, 148):
            found = file_then(archive, index, None, "/w/a", times[number] + 1)
            assert found.sha256 == sha(f"{number}\n".encode())
