"""`dejavu acp AGENT` speaks ACP for an agent; `--tap -- COMMAND` keeps what another one says.

`dejavu acp --tap` as an editor calls it never comes here: it goes to `tap_program` at once.
The other needs the extra `acp`. Exit code 0 when the editor has gone.

Tested in: tests/extensions/acp/test_agent.py
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

from dejavu.capsule import find_program
from dejavu.config.extras import extra_hint
from dejavu.interfaces.command_line.parameters import Argument, FromInstance, Option, ToWorkspace
from dejavu.interfaces.command_line.version import version
from dejavu.model import DejavuError
from dejavu.providers.registry import agent_of, command_of, install_hint

from .. import tap_program


def command(
    agent: Annotated[
        list[str],
        Argument(metavar="AGENT [ARGS ...]", help="The agent's command."),
    ],
    tap: Annotated[
        bool, Option("--tap", help="The command already speaks ACP: pass it on and keep a copy.")
    ] = False,
    name: Annotated[
        str,
        Option("--agent", metavar="A", help="Which agent it is (default: by its command)."),
    ] = "",
    screen: Annotated[
        bool,
        Option("--screen", help="Keep screen text of an agent that saves no session file."),
    ] = False,
    workspace: ToWorkspace = None,
    instance: FromInstance = None,
) -> None:
    """Speak the Agent Client Protocol for an agent, or tap it."""
    if tap:
        tap_program.main(tap_program.TapLine(agent, name, workspace or "", instance or ""))
    if find_spec("acp") is None:
        raise DejavuError(
            "`dejavu acp AGENT` needs the extra acp (agent-client-protocol is missing): "
            f"{extra_hint('acp')}"
        )
    import os

    from ..agent import serve  # not without the library

    try:
        find_program(command_of(agent)[0], os.environ)
    except DejavuError as error:
        raise DejavuError(f"{error}; {install_hint(agent[0])}") from None
    known = name or agent_of(agent)
    options = ["--agent", known, *(["--screen"] if screen else [])]
    options += ["--workspace", workspace] if workspace else []
    options += ["--instance", instance] if instance else []
    serve(known, agent, options, version())
