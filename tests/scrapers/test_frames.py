"""A word without an end is left out, whatever stands around it is read."""

from dejavu.scrapers import SessionReader

WORD = "abcdefghij" * 20_000


def reader_of(output: str) -> SessionReader:
    reader = SessionReader("claude", 80, 24)
    reader.output(f"❯ hello\r\n\r\n● before\r\n  {output}\r\n  behind\r\n".encode(), 1.0)
    reader.exit(0, 30.0)
    return reader


def text_of(reader: SessionReader) -> str:
    return str([turn.parts for turn in reader.turns])


def test_its_first_rows_are_kept_and_the_rest_is_a_gap() -> None:
    reader = reader_of(WORD)
    text = text_of(reader)
    assert "before" in text
    assert "behind" in text
    assert 10_000 < len(text) < 40_000
    assert [gap.reason for gap in reader.gaps][:1] == [
        "rows of a word without an end were left out"
    ]


def test_a_long_line_of_words_is_read_whole() -> None:
    reader = reader_of("several words and so on, " * 2_000)
    assert text_of(reader).count("several") > 1_990
    assert not reader.gaps
