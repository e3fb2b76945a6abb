import subprocess
import sys
from collections.abc import Callable

from tests.factories.archive import Result

from dejavu.model import Conversation


def test_tidying_keeps_everything(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("gc", "--json").json["orphans"] == 0
    assert dejavu("gc", "--compact").code == 0
    assert len(dejavu("list", "--json").rows) == 2
    assert dejavu("verify").code == 0


def test_the_command_ends_well_as_a_process(archived: list[Conversation]) -> None:
    """Its module has the name of one of the interpreter's own."""
    command = [sys.executable, "-m", "dejavu.interfaces.cli", "gc"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
