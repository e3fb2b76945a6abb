import subprocess
import sys
from pathlib import Path

import pytest

from dejavu.interfaces.command_line.commands import COMMANDS
from dejavu.interfaces.command_line.parameters import parameters_of
from dejavu.interfaces.command_line.simple_line import command
from dejavu.interfaces.command_line.typer_app import load

SOURCE = Path(__file__).resolve().parents[3] / "src/dejavu/interfaces/command_line"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_typer_has_every_parameter_and_no_other(name: str) -> None:
    ours = {one.name: (set(one.on), set(one.off)) for one in parameters_of(command(name))}
    made = load(name).params
    theirs = {
        one.name: (set(one.opts), set(one.secondary_opts))
        if one.param_type_name == "option" else (set(), set())
        for one in made
    }  # fmt: skip
    assert theirs == ours


def test_one_module_imports_typer_and_none_its_private_names() -> None:
    root = SOURCE.parent.parent
    users = [path for path in root.rglob("*.py") if "import typer" in path.read_text("utf-8")]
    assert users == [SOURCE / "typer_app.py"]
    for path in SOURCE.glob("*.py"):
        assert not {"typer._", "_runtime_param", "_click"} & {
            word
            for word in ("typer._", "_runtime_param", "_click")
            if word in path.read_text("utf-8")
        }, path


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_made(home: Path, shell: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli"],
        env={"HOME": str(home), "_DEJAVU_COMPLETE": f"source_{shell}", "PATH": "/usr/bin"},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "_DEJAVU_COMPLETE" in done.stdout
