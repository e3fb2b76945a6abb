"""The table of all commands: the core's, and those of the extensions."""

import subprocess
import sys

import pytest

from dejavu.config.extensions import parts
from dejavu.interfaces.command_line.commands import ALL
from dejavu.interfaces.command_line.core_commands import CORE
from dejavu.interfaces.command_line.simple_line import command

FOUND = """
import sys
from dejavu.interfaces.command_line.simple_line import find
name = find(sys.argv[1:]).name
print(name, any(module.startswith("dejavu.extensions") for module in sys.modules), sep="|")
"""


def found(*words: str) -> list[str]:
    """The command that the words name, and whether a module of an extension was loaded for it."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", FOUND, *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip().split("|")


@pytest.mark.parametrize(
    ("line", "name"),
    [("list", "list"), ("memory find x", "memory find"), ("recall x", "memory find")],
)
def test_a_command_of_the_core_is_found_without_the_extensions(line: str, name: str) -> None:
    assert found(*line.split()) == [name, "False"]


@pytest.mark.parametrize(
    ("line", "name"),
    [("code blame x", "code blame"), ("blame x", "code blame"), ("serve", "serve")],
)
def test_a_command_of_an_extension_is_found_in_its_module(line: str, name: str) -> None:
    assert found(*line.split()) == [name, "True"]
    assert command(name).__module__.startswith("dejavu.extensions.")


def test_an_extension_takes_no_name_of_the_core() -> None:
    ours = [{*table, *(name.split()[0] for name in table)} for table in CORE]
    for extension in parts("commands"):
        theirs = {name.split()[0] for name in extension.COMMANDS}
        theirs |= {*getattr(extension, "GROUPS", {}), *getattr(extension, "OLD_NAMES", {})}
        assert not theirs & set().union(*ours)


def test_the_whole_table_holds_the_core_first() -> None:
    for whole, core in zip(ALL, CORE, strict=True):
        assert list(whole)[: len(core)] == list(core)
