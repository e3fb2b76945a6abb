from pathlib import Path

from dejavu.archive.access import open_archive
from dejavu.interfaces.tui.archive_reader import ArchiveReader
from dejavu.interfaces.tui.line_mode import LineMode
from dejavu.model import Conversation
from dejavu.recall import Memory


def walk(*said: str) -> list[str]:
    """What a reader hears who says these lines, one by one, and then hangs up."""
    told: list[str] = []
    answers = iter(said)

    def ask(prompt: str) -> str:
        told.append(prompt)
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    reader = ArchiveReader(lambda error: told.append(str(error)))
    reader.open()
    assert LineMode(reader, ask, told.append).run() == 0
    reader.close()
    return told


def test_list_read_and_back(archived: list[Conversation]) -> None:
    told = walk("2", "3", "r", "b", "q")
    assert any(
        line.startswith("2. Why does retry_budget run dry? (claude, retry,") for line in told
    )
    assert "Turn 1. You, " in " ".join(told)
    assert any("is **never** called" in line for line in told)
    assert "cd /work/retry && claude --resume s-1" in told
    assert told[-1] == "list> "


def test_search_leads_to_the_turn(archived: list[Conversation]) -> None:
    told = walk("/never call", "1")
    assert "1 turn found for 'never call'." in told
    assert any("turn 2 (claude" in line for line in told)
    after = told[told.index("list> ", told.index("1 turn found for 'never call'.")) :]
    assert any(line.startswith("Turn 2. claude") for line in after)
    assert not any(line.startswith("Turn 1.") for line in after)


def test_nothing_moves_the_cursor_and_no_trick_gets_through(archived: list[Conversation]) -> None:
    text = "\n".join(walk("1", "", "", "x", "b", "l", "n", "h"))
    assert not set(text) & set("\x1b\x07\x9b\u202e╭│─▸")
    assert "0 sessions running." in text
    assert "No more." in text
    assert "The end." in text


def test_an_empty_archive_says_how_to_begin(home: Path) -> None:
    assert "None. `dejavu sync` reads histories in." in walk()


def test_a_misspelt_word_is_found_and_said(archived: list[Conversation]) -> None:
    told = walk("/retyr bugdet")
    assert "no turn has 'bugdet': searched for 'budget'." in told
    assert any(line.startswith("1. Why does retry_budget") for line in told)


def test_memory_and_search_are_asked_from_inside_a_conversation(
    archived: list[Conversation],
) -> None:
    told = walk("1", "m xylophone", "1", "/never call", "1", "h")
    assert "nothing recalled for 'xylophone'" in told
    assert "1 turn found for 'never call'." in told
    assert any("m and a question: ask memory. r:" in line for line in told)


def test_a_memory_says_whether_it_is_sure(home: Path) -> None:
    with open_archive(write=True) as archive:
        Memory(archive).remember("Carol reports to Ann since May")
    told = walk("m who reports to Ann?")
    assert "Memory, sure, confidence 0.5: Carol reports to Ann since May" in told


def test_memory_answers_and_is_judged(archived: list[Conversation]) -> None:
    told = walk("m why does the retry_budget run dry?", "c 1", "1", "b", "x 7", "m ", "m xylophone")
    assert any(line.startswith("1. Why does retry_budget run dry?") for line in told)
    assert any(", turn " in line and "(sure, claude" in line for line in told)
    assert any("is **never** called" in line for line in told)
    assert "1 marked as right; memory had given it as sure." in told
    title = "Why does retry_budget run dry?"
    answers = told[: told.index("1 marked as right; memory had given it as sure.")]
    rows = [number for number, line in enumerate(answers) if line.startswith("1. ")]
    assert not any(line.startswith(title) for line in answers[rows[-1] + 1 :])
    assert "No answer of memory has that number: m and a question asks." in told
    assert "nothing recalled for 'xylophone'" in told
