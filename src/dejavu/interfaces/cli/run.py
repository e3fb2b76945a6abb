"""`dejavu run AGENT ...`: the same as `dejavu-run`, under the other program's name.

Options before AGENT are ours, all words after it the agent's. The exit code is the agent's; with
--detach it is 0 once the session has started.

Tested in: tests/interfaces/test_run.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..command_line.parameters import Argument, Option
from ..command_line.stdio import ExitError


def command(
    agent: Annotated[list[str], Argument(metavar="AGENT [ARGS ...]", help="The command to run.")],
    detach: Annotated[
        bool, Option("--detach", "-d", help="Run it in the background, headless.")
    ] = False,
    name: Annotated[str | None, Option("--name", help="A name for this session.")] = None,
    size: Annotated[
        str | None, Option("--size", metavar="CxR", help="Size of the headless terminal.")
    ] = None,
    headless: Annotated[
        bool, Option("--headless", help="Give it a terminal even if there is none here.")
    ] = False,
    screen: Annotated[
        bool | None,
        Option("--screen/--no-screen", help="Keep screen text if the agent saves no session file."),
    ] = None,
    workspace: Annotated[
        str | None, Option("--workspace", metavar="DIR", help="The project it belongs to.")
    ] = None,
    instance: Annotated[
        str | None, Option("--instance", help="Name of this machine or container.")
    ] = None,
    named_agent: Annotated[
        str | None, Option("--agent", help="Which agent it is, if its command doesn't say.")
    ] = None,
    record: Annotated[
        Path | None, Option("--record", help="Also write every byte to an asciicast file.")
    ] = None,
) -> None:
    """Run an agent wrapped, here or in the background."""
    from ..run import leave, run  # it is `dejavu-run` all the same

    values = {
        "--name": name, "--size": size, "--workspace": workspace, "--instance": instance,
        "--agent": named_agent, "--record": record,
    }  # fmt: skip
    words = [f"{option}={value}" for option, value in values.items() if value is not None]
    words += ["--detach"] * detach + ["--headless"] * headless
    if screen is not None:
        words.append("--screen" if screen else "--no-screen")
    raise ExitError(leave(run([*words, "--", *agent])))
