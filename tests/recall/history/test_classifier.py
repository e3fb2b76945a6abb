"""The classifier: strict, checked against the file system, asked once a day."""

import json
import sys
from pathlib import Path

import pytest
from tests.recall.conftest import ASSISTANT, ToolCall, Turn, session

from dejavu.archive import Archive
from dejavu.recall import Classifier, Recall, SearchHelpers
from dejavu.recall.history.classifier import KEPT, Classified


class Program:
    """A program that says one thing and counts how often it was asked."""

    def __init__(self, folder: Path, said: str) -> None:
        self.count = folder / "count"
        script = folder / "say.py"
        script.write_text(
            f"import sys; sys.stdin.read(); open({str(self.count)!r}, 'a').write('x')\n"
            f"print({said!r})"
        )
        self.command = [sys.executable, str(script)]

    @property
    def asked(self) -> int:
        return len(self.count.read_text()) if self.count.exists() else 0


def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "w"
    (root / "net").mkdir(parents=True)
    (root / "net" / "retry.py").write_text("")
    return root


def test_what_is_not_there_is_dropped(archive: Archive, tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (tmp_path / "secret").write_text("")
    said = {
        "intent": "why", "subsystems": ["net", "nowhere", "..", ""],
        "files": ["net/retry.py", "net", "../secret", "/etc/passwd", "gone.py", "a\0b"],
        "entities": ["RetryBudget", "x", "y" * 200],
    }  # fmt: skip
    program = Program(tmp_path, json.dumps(said))
    found = Classifier(program.command, patience=30)(archive, "why?", str(root))
    assert found == Classified("why", ("net",), ("net/retry.py",), ("RetryBudget",))


@pytest.mark.parametrize(
    "said", ["no json", "[1]", '{"intent": 5}', '{"files": "net"}', '{"unheard": 1}', ""]
)
def test_another_shape_is_no_answer(archive: Archive, tmp_path: Path, said: str) -> None:
    program = Program(tmp_path, said)
    assert Classifier(program.command, patience=30)(archive, "why?", None) is None


def test_kept_for_a_day_and_failures_for_minutes(archive: Archive, tmp_path: Path) -> None:
    now = [1_000_000.0]
    program = Program(tmp_path, '{"entities": ["RetryBudget"]}')
    classify = Classifier(program.command, patience=30, clock=lambda: now[0])
    assert classify(archive, "why?", None) == classify(archive, "why?", None)
    assert program.asked == 1
    classify(archive, "why?", "/elsewhere")
    assert program.asked == 2
    now[0] += KEPT + 1
    classify(archive, "why?", None)
    assert program.asked == 3
    assert len(list(archive.namespace("classified").items())) == 1
    broken = Program(tmp_path, "nothing")
    refuse = Classifier(broken.command, patience=30, clock=lambda: now[0])
    for after, times in ((0, 4), (10, 4), (400, 5)):
        now[0] += after
        assert refuse(archive, "how?", None) is None
        assert broken.asked == times


def test_a_subsystem_finds_the_turns_that_worked_in_it(archive: Archive, tmp_path: Path) -> None:
    root = workspace(tmp_path)
    turn = Turn(role=ASSISTANT, parts=(ToolCall("1", "Edit", {"file_path": "net/retry.py"}),))
    archive.put(session("a", turn, workspace=str(root)))
    program = Program(tmp_path, '{"subsystems": ["net"]}')
    aids = SearchHelpers(classify=Classifier(program.command, patience=30))
    recall = Recall(archive, tiers=["files"], aids=aids)
    assert recall.search("the connection layer", workspace=str(root), floor=0.0)
    plain = Recall(archive, tiers=["files"])
    assert plain.search("the connection layer", workspace=str(root), floor=0.0) == []
