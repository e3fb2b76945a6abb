from dejavu.scrapers import default_packs
from dejavu.scrapers.parsed_buffer import ParsedBuffer
from dejavu.scrapers.rows import Row


def rows(*texts: str) -> list[Row]:
    return [Row(text, False, 60) for text in texts]


def buffer(*texts: str) -> ParsedBuffer:
    made = ParsedBuffer(default_packs()["demo"])
    made.transcript.append(rows(*texts), 0)
    return made


def test_before_the_first_prompt_there_is_nothing_to_keep():
    assert not buffer("a banner").has_prompt()
    assert buffer("a banner", "❯ hello").has_prompt()


def test_blocks_are_read_again_from_the_first_row_that_changed():
    made = buffer("❯ hello", "", "● Hi")
    before = made.parse()[0]
    assert made.parse()[0] is before
    made.transcript.append(rows("  there.", "❯ bye"), 0)
    kinds = [block.kind for block in made.parse()]
    assert kinds == ["user", "text", "user"]
    assert made.parse()[0] is before
    assert [content.text for content in made.parse()[1].contents] == ["Hi", "there."]
