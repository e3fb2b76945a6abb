from pathlib import Path

from dejavu.config.json_file import write_json
from dejavu.scrapers import State
from dejavu.sessions.observer.hook_status_reader import StatusReader


def test_a_word_is_heard_once_and_only_while_fresh(tmp_path: Path) -> None:
    evidence = StatusReader(tmp_path)
    assert evidence.newer(5.0) is None
    assert not evidence.heard
    said = {"state": "blocked", "source": "hook", "at": 4.0, "expires_at": 9.0}
    write_json(tmp_path / "structured.json", said)
    assert evidence.newer(5.0) == (State.BLOCKED, 4.0, "hook")
    assert evidence.newer(5.0) is None
    write_json(tmp_path / "structured.json", {**said, "at": 6.0})
    assert evidence.newer(10.0) is None


def test_anything_else_in_the_file_is_no_word(tmp_path: Path) -> None:
    for number, said in enumerate(
        [{}, {"state": "dancing", "at": 1, "expires_at": 9}, {"state": "idle"}]
    ):
        write_json(tmp_path / "structured.json", {**said, "n": number})
        assert StatusReader(tmp_path).newer(1.0) is None


def test_the_conversation_that_was_spoken_of_is_known(tmp_path: Path) -> None:
    evidence = StatusReader(tmp_path)
    assert evidence.conversation() is None
    write_json(tmp_path / "structured.json", {"conversation": "abc"})
    assert evidence.conversation() == "abc"
    write_json(tmp_path / "structured.json", {"conversation": 7})
    assert evidence.conversation() is None
