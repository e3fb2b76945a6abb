from enum import Enum
from pathlib import Path
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.interfaces.command_line.commands import COMMANDS
from dejavu.interfaces.command_line.parameters import Argument, Option, Parameter, parameters_of
from dejavu.interfaces.command_line.simple_line import command


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


def example(
    files: Annotated[list[Path], Argument(help="Files.")],
    limit: Annotated[int, Option("--limit", "-n", min=1, max=9, help="Most.")] = 3,
    colour: Annotated[Colour | None, Option("--colour", help="Which.")] = None,
    tags: Annotated["list[str] | None", Option("--tag", metavar="T")] = None,
    show: Annotated[bool, Option("--show/--no-show", "-s", help="Whether.")] = True,
) -> None:
    """An example."""


def by_name() -> dict[str, Parameter]:
    return {one.name: one for one in parameters_of(example)}


def test_a_signature_is_the_declaration() -> None:
    one = by_name()
    assert {name: each.spelling for name, each in one.items()} == {
        "files": "FILES ...",
        "limit": "-n, --limit N",
        "colour": "--colour red|blue",
        "tags": "--tag T",
        "show": "-s, --show / --no-show",
    }
    assert [name for name, each in one.items() if each.required] == ["files"]
    assert [name for name, each in one.items() if each.many] == ["files", "tags"]
    assert one["limit"].description == "Most.  [default: 3]"
    assert one["show"].description == "Whether.  [default: on]"


@given(st.integers(-20, 20))
def test_a_number_is_held_to_its_limits(number: int) -> None:
    limit = by_name()["limit"]
    if 1 <= number <= 9:
        assert limit.value(str(number)) == number
    else:
        with pytest.raises(ValueError, match="must be"):
            limit.value(str(number))


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("limit", "x", "'x' is not a whole number"),
        ("limit", "1.5", "'1.5' is not a whole number"),
        ("colour", "rad", "is not one of red, blue; did you mean 'red'"),
    ],
)
def test_a_wrong_value_says_why(name: str, text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        by_name()[name].value(text)


def test_right_values() -> None:
    assert by_name()["colour"].value("blue") is Colour.BLUE
    assert by_name()["files"].value("a") == Path("a")


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_parameter_of_every_command_says_what_it_is(name: str) -> None:
    for one in parameters_of(command(name)):
        assert one.declared.help, one.name
        assert one.is_argument == isinstance(one.declared, Argument)
