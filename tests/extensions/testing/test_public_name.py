"""`dejavu.testing` is the public name, and pulls in the screen and the capsule alone."""

import subprocess
import sys

import pytest

import dejavu.testing
from dejavu.extensions import testing

_USE = """
import sys
from dejavu.testing import Mask, Program, RecordedSession, Screen, WaitError
ours = {name.split(".")[1] for name in sys.modules if name.startswith("dejavu.")}
others = {name.split(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
print(sorted(ours), sorted(others & {"lmdb", "msgpack", "msgspec", "regex", "tantivy", "typer"}))
"""


def test_the_two_names_are_the_same_things() -> None:
    for name in dejavu.testing.__all__:
        assert getattr(dejavu.testing, name) is getattr(testing, name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Sceen"):
        dejavu.testing.Sceen  # noqa: B018 - the access is the test


def test_strategies_have_the_public_name_too() -> None:
    from dejavu.testing.strategies import streams

    assert streams is testing.strategies.streams


def test_it_loads_the_screen_and_the_capsule_alone() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _USE], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout == "['capsule', 'extensions', 'model', 'screen', 'testing'] []\n"
