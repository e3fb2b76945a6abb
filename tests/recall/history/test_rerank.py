"""Rerank: another order and nothing else; an odd answer leaves everything as it was."""

import sys
from pathlib import Path

import pytest

from dejavu.archive import Archive
from dejavu.recall import Recall, Reranker, SearchHelpers

QUESTION = "how long do we keep the retention of audit records in the gateway?"


def says(said: str) -> Reranker:
    code = f"import sys; assert '[dejavu:' in sys.stdin.read(9); print({said!r})"
    return Reranker([sys.executable, "-c", code], patience=30)


def test_the_order_is_the_commands(told: Archive) -> None:
    plain = Recall(told).search(QUESTION, floor=0.0)
    assert len(plain) > 2
    other = says('{"order": [2, 1]}')(QUESTION, plain)
    assert other == [plain[1], plain[0], *plain[2:]]
    found = Recall(told, aids=SearchHelpers(rerank=says('{"order": [2]}'))).search(
        QUESTION, floor=0.0
    )
    assert {hit.seq for hit in found} <= {hit.seq for hit in plain}


@pytest.mark.parametrize(
    "said", ["", "no", '{"order": "2"}', '{"order": [0, 99, true, "1"]}', '{"order": []}', "[2, 1]"]
)
def test_an_odd_answer_changes_nothing(told: Archive, said: str) -> None:
    plain = Recall(told).search(QUESTION, floor=0.0)
    assert says(said)(QUESTION, plain) == plain


def test_a_program_that_is_missing_or_slow_changes_nothing(told: Archive, tmp_path: Path) -> None:
    plain = Recall(told).search(QUESTION, floor=0.0)
    assert Reranker([str(tmp_path / "none")], patience=5)(QUESTION, plain) == plain
    slow = Reranker([sys.executable, "-c", "import time; time.sleep(60)"], patience=0.2)
    assert slow(QUESTION, plain) == plain
    assert Reranker(["/none"], patience=1)(QUESTION, plain[:1]) == plain[:1]
