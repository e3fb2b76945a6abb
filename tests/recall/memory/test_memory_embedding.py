"""A question with a model: its topics are looked for one by one."""

import pytest

from dejavu.archive import Archive
from dejavu.recall.memory.memory import Memory
from dejavu.recall.memory.memory_cache import topics


def test_a_question_on_two_topics_is_looked_at_in_its_parts() -> None:
    assert topics("Who owns the parser and where do the build logs go?") == [
        "Who owns the parser and where do the build logs go?",
        "Who owns the parser",
        "where do the build logs go",
    ]


@pytest.mark.parametrize(
    "question", ["", "Who owns the parser?", "Are CI and CD one job?", "and and and"]
)
def test_one_topic_stays_one(question: str) -> None:
    assert topics(question) == [question]


def test_two_topics_find_both(archive: Archive) -> None:
    def embed(text: str) -> list[float]:
        parser, logs = "parser" in text, "logs" in text
        return [float(parser), float(logs), 1.2 if parser and logs else 0.0, 0.01]

    memory = Memory(archive, embed=embed)
    memory.remember("Nadia looks after the parser")
    memory.remember("Old logs are moved to the cold bucket")
    memory.remember("The parser and its logs are shown together")
    answers = memory.recall("Who owns the parser code and where do the build logs go?", limit=3)
    assert all(answer.relevance > 0.9 for answer in answers)
