from pathlib import Path

from tools.parameters import document

from dejavu.interfaces.command_line.simple_line import TABLE


def test_the_table_in_the_package_is_what_typer_declares() -> None:
    assert Path(TABLE).read_text("utf-8") == document(), "run `make docs`"
