"""`dejavu otlp [--port P]`: receive agents' telemetry on 127.0.0.1 and archive its turns.

Prints what to set for each agent, then receives until it is interrupted. Agents say a bearer token, which
is in a file and never printed for people. Needs the extra `otlp`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.config.extras import extra_hint
from dejavu.config.paths import state_home
from dejavu.config.settings import load_config, own_instance
from dejavu.interfaces.command_line.output import print_json, print_note
from dejavu.interfaces.command_line.parameters import Option
from dejavu.model import DejavuError
from dejavu.model.plural import counted

if TYPE_CHECKING:
    from dejavu.interfaces.command_line.parameters import FromInstance, Json, ToWorkspace


def command(
    port: Annotated[
        int, Option("--port", "-p", min=0, max=65535, help="The port; 0 is any free one.")
    ] = 4318,
    workspace: ToWorkspace = None,
    instance: FromInstance = None,
    json: Json = False,
) -> None:
    """Receive OpenTelemetry from agents and import it."""
    from dejavu.providers.otlp_env import instructions, telemetry_variables

    try:
        from dejavu.services.bearer_token import bearer_token

        from ..otlp_server import collect
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("dejavu"):
            raise
        raise DejavuError(
            f"`dejavu otlp` needs the extra otlp ({error.name} is missing): {extra_hint('otlp')}"
        ) from error

    token_file = state_home() / "otlp.token"
    token = bearer_token(token_file)

    def ready(at: int) -> None:
        endpoint = f"http://127.0.0.1:{at}"
        if json:
            settings = telemetry_variables(endpoint, token)
            print_json({"endpoint": endpoint, "token_file": str(token_file), "settings": settings})
        else:
            print(instructions(endpoint, token_file), flush=True)

    summary = collect(
        port, token=token, instance=instance or own_instance(load_config()),
        workspace=workspace, ready=ready,
    )  # fmt: skip
    for sentence in summary.notes:
        print_note(f"dejavu otlp: {sentence}")
    print_note(
        f"dejavu otlp: {counted(summary.lines, 'export')}, "
        f"{counted(len(summary.conversations), 'conversation')}"
    )
