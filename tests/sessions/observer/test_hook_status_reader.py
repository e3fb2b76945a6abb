from pathlib import Path

from dejavu.config.files import write_json
from dejavu.scrapers import State
from dejavu.scrapers.status import SIGNAL_TTL
from dejavu.sessions.observer.observed_session import StatusReader


def test_a_word_is_heard_once_and_only_while_fresh(tmp_path: Path) -> None:
    reader = StatusReader(tmp_path)
    assert reader.poll(5.0) is None
    assert not reader.has_data
    signal = {"state": "blocked", "source": "hook", "at": 4.0}
    write_json(tmp_path / "structured.json", signal)
    assert reader.poll(5.0) == (State.BLOCKED, 4.0, "hook")
    assert reader.poll(5.0) is None
    write_json(tmp_path / "structured.json", {**signal, "at": 6.0})
    assert reader.poll(6.0 + SIGNAL_TTL) is None


def test_anything_else_in_the_file_is_no_word(tmp_path: Path) -> None:
    for number, signal in enumerate(
        [
            {},
            {"state": "dancing", "at": 1},
            {"state": "idle"},
            {"state": ["idle"], "at": 1},
        ]
    ):
        write_json(tmp_path / "structured.json", {**signal, "n": number})
        assert StatusReader(tmp_path).poll(1.0) is None


def test_the_conversation_that_was_spoken_of_is_known(tmp_path: Path) -> None:
    reader = StatusReader(tmp_path)
    assert reader.conversation() is None
    write_json(tmp_path / "structured.json", {"conversation": "abc"})
    assert reader.conversation() == "abc"
    write_json(tmp_path / "structured.json", {"conversation": 7})
    assert reader.conversation() is None
