from pathlib import Path

import pytest
from tests.factories.edits import Script

from dejavu.archive import Archive
from dejavu.export.continuation import continuations, continued_from
from dejavu.extensions.code.brief import MOST, make_brief
from dejavu.extensions.code.index import EditIndex

SECRET = "AKIAIOSFODNN7EXAMPLE"


def _brief(archive: Archive, script: Script) -> str:
    archive.put(script.conversation())
    with EditIndex(archive) as index:
        index.catch_up()
        text = make_brief(
            archive, index, script.id, lambda text: text.replace(SECRET, "[key]")
        ).text
    assert len(text.encode()) <= MOST
    return text


def test_goal_files_commands_plan_and_the_last_exchange(archive: Archive, tmp_path: Path) -> None:
    script = Script("one", tmp_path)
    script.user(f"Make the parser ten times faster; the key is {SECRET}")
    script.says("We will use a table instead of the regular expression.")
    script.call("Write", {"file_path": "parser.py", "content": "table = {}\n"})
    script.call("Write", {"file_path": "gone.py", "content": "x\n"})
    (tmp_path / "parser.py").write_text("table = {}\n")
    script.run("pytest -q", "Exit code 1\n1 failed", error=True)
    script.run("ruff check .", "All checks passed!")
    todos = [
        {"content": "write the table", "status": "completed"},
        {"content": "measure it \x1b[31mtwice", "status": "pending"},
    ]
    script.call("TodoWrite", {"todos": todos})
    script.user("and now?")
    script.says("The table stands.\nNext: fix test_empty in tests/test_parser.py")
    text = _brief(archive, script)
    for part in (
        "Make the parser ten times faster", "[key]", "[2] We will use a table instead",
        "- parser.py: 1 change, last [3]; now as the last change left it",
        "- gone.py: 1 change, last [5]; now not there", "`pytest -q`: failed", "`ruff check .`: worked",
        "pending: measure it twice", "still failing: `pytest -q`", "fix test_empty", "user: and now?",
    ):  # fmt: skip
        assert part in text, part
    assert "write the table" not in text
    assert SECRET not in text
    assert "\x1b" not in text


def test_a_huge_conversation_still_fits(archive: Archive) -> None:
    script = Script("one", "/w")
    for number in range(120):
        script.user(f"prompt {number} " + "ö" * 4_000)
        script.edit(f"/w/{'d' * 100}/{number}.py", "a", "b")
        script.run(f"make {number} " + "x" * 300, "Exit code 1", error=True)
        script.says("We decided to never stop. " + "wort " * 900)
    assert "prompt 0" in _brief(archive, script)


def test_an_empty_conversation_has_a_brief(archive: Archive) -> None:
    assert _brief(archive, Script("one", "")).startswith("# Hand-over from conversation ")


def test_the_next_conversation_is_a_continuation(archive: Archive) -> None:
    script = Script("one", "/w")
    script.user("begin")
    text = _brief(archive, script)
    follower, stranger = Script("two", "/w", "codex"), Script("three", "/w")
    follower.user(text)
    stranger.user(text.replace(script.id, "a" * 16))
    archive.put(follower.conversation())
    archive.put(stranger.conversation())
    assert continuations(archive, archive.scan()) == {follower.id: script.id}
    assert continued_from("# Hand-over from conversation ../../etc (") is None


@pytest.mark.fault("M-halves")
def test_names_of_files_are_redacted(archive: Archive, tmp_path: Path) -> None:
    script = Script("one", tmp_path)
    script.user("write it")
    script.call("Write", {"file_path": f"{SECRET}.py", "content": "x = 1\n"})
    text = _brief(archive, script)
    assert "[key].py" in text
    assert SECRET not in text
