from pathlib import Path

from tools.reference import reference

from dejavu.interfaces.command_line.commands import COMMANDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference.md"


def test_the_page_is_what_the_program_says() -> None:
    assert PAGE.read_text("utf-8") == reference(), "run `make docs`"


def test_every_command_and_option_is_in_it() -> None:
    text = reference()
    for command in COMMANDS:
        assert f"## dejavu {command}\n" in text
    assert "`--since`" in text
