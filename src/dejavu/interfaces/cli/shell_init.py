"""`dejavu shell-init SHELL`: shell functions by which `claude` means `dejavu-run claude`.

It prints text for `eval` and changes nothing itself. Every name in the text is one of the registry,
every path is quoted. Costs one look at the PATH for each command of the agents.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from dejavu.config.paths import user_home
from dejavu.model import InvalidValueError
from dejavu.providers.agent import Agent
from dejavu.providers.protocol import Home
from dejavu.providers.registry import agents, may_be_in

from ..command_line.parameters import Argument, Option
from ..command_line.shell_keys import DEFAULT, binding, parse_key, unbinding

SHELLS = ("bash", "zsh", "fish")
_SHARED_NAMES = {
    "q", "pi", "cn", "agent", "mini", "pool", "forge", "goose", "mimo", "cortex", "crush", "devin",
    "hermes", "kiro-cli", "vibe", "dsh", "omp", "prime-agent",
}  # fmt: skip
"""Names that other programs have, too (Foundry's forge, a migration tool's goose): these count as
agents only where the agent has left something in the home."""


def command(
    shell: Annotated[
        str | None,
        Argument(metavar="SHELL", help="bash, zsh or fish; default: that of $SHELL."),
    ] = None,
    only: Annotated[
        str | None, Option("--agents", help="Only these, such as claude,codex.")
    ] = None,
    undo: Annotated[bool, Option("--undo", help="Print what removes the functions.")] = False,
    show: Annotated[bool, Option("--list", help="List the commands it would wrap.")] = False,
    keys: Annotated[
        bool, Option("--keys", help="Print a key binding that picks a conversation or prompt.")
    ] = False,
    key: Annotated[
        str, Option("--key", metavar="KEY", help="The key for --keys, such as ctrl-r.")
    ] = DEFAULT,
    force: Annotated[
        bool, Option("--force", help="Take the key even where it is bound already.")
    ] = False,
) -> None:
    """Print shell functions that run agents wrapped."""
    if show:
        print("\n".join(wrapped_commands(only)))
        return
    shell = shell or os.environ.get("SHELL", "").rpartition("/")[2]
    if shell not in SHELLS:
        raise InvalidValueError(f"{shell!r} is not a shell it knows; write bash, zsh or fish")
    if keys:
        chosen = parse_key(key)
        program = _program_path("dejavu")
        lines = unbinding(shell, chosen) if undo else binding(shell, chosen, program, force=force)
    elif undo:
        lines = _undo_fish() if shell == "fish" else _undo()
    else:
        wrapper = _program_path("dejavu-run")
        names = wrapped_commands(only)
        lines = _fish(names, wrapper) if shell == "fish" else _posix(names, wrapper, shell)
    print("\n".join(lines))


def wrapped_commands(only: str | None) -> list[str]:
    """The commands to wrap: of the named agents, or of every agent that is installed.

    Raises:
        InvalidValueError: no agent is called so.
    """
    if only is None:
        home = Home(user_home(), os.environ)
        return [
            name
            for agent in agents().values()
            for name in _commands_of(agent)
            if shutil.which(name) and (name not in _SHARED_NAMES or may_be_in(agent, home))
        ]
    names = list[str]()
    for word in filter(None, (word.strip() for word in only.split(","))):
        agent = agents().get(word)
        if agent is not None and agent.executables and not agent.module:
            names.append(agent.executables[0])
        elif word in _commands():
            names.append(word)
        else:
            raise InvalidValueError(
                f"no agent with its own command is called {word!r}; `dejavu doctor --agents` lists them"
            )
    return list(dict.fromkeys(names))


def _commands_of(agent: Agent) -> Iterator[str]:
    """Its commands that people type: not the adapters, which editors start, nor our own demo."""
    if not agent.module:
        yield from (name for name in agent.executables if not name.endswith("-acp"))


def _commands() -> list[str]:
    return [name for agent in agents().values() for name in _commands_of(agent)]


def _program_path(name: str) -> str:
    """A program of ours next to the one that runs, else that of the PATH."""
    neighbour = Path(sys.argv[0]).absolute().with_name(name)
    return str(neighbour) if os.access(neighbour, os.X_OK) else shutil.which(name) or name


def _posix(names: list[str], wrapper: str, shell: str) -> Iterator[str]:
    # `function NAME`: an alias of that name would be expanded in `NAME ()`, and here it is not. So an
    # alias with options (`alias claude='claude --model opus'`) calls the function with them.
    yield f"if {'[[ -o interactive ]]' if shell == 'zsh' else '[[ $- == *i* ]]'}; then"
    yield "function __dejavu_wrap {"
    yield '  case "${DEJAVU_CAPTURE-}${DEJAVU_SESSION:+off}" in'
    yield '    off|0|no|*off) command "$@" ;;'
    yield f'    *) if [ -x {shlex.quote(wrapper)} ]; then command {shlex.quote(wrapper)} -- "$@"'
    yield '       else command "$@"; fi ;;'
    yield "  esac"
    yield "}"
    for name in names:
        # A function of the user's own stays: it may do more than start the agent.
        yield f'case " ${{__dejavu_wrapped-}} " in *" {name} "*) true ;;'
        yield (
            f'  *) typeset -f {name} >/dev/null || __dejavu_wrapped="${{__dejavu_wrapped-}} {name}" ;;'
        )
        yield "esac"
        yield f'case " ${{__dejavu_wrapped-}} " in *" {name} "*)'
        yield f'  function {name} {{ __dejavu_wrap {name} "$@"; }} ;;'
        yield "esac"
    yield "fi"


def _undo() -> Iterator[str]:
    for name in _commands():
        yield f'case " ${{__dejavu_wrapped-}} " in *" {name} "*) unset -f {name} ;; esac'
    yield "unset -f __dejavu_wrap 2>/dev/null"
    yield "unset __dejavu_wrapped"


def _fish(names: list[str], wrapper: str) -> Iterator[str]:
    yield "if status is-interactive"
    yield "function __dejavu_wrap"
    yield (
        '  if set -q DEJAVU_SESSION; or contains -- "$DEJAVU_CAPTURE" off 0 no'
        f"; or not test -x {_fish_quoted(wrapper)}"
    )
    yield "    command $argv"
    yield f"  else; command {_fish_quoted(wrapper)} -- $argv; end"
    yield "end"
    for name in names:
        yield f"if contains -- {name} $__dejavu_wrapped; or not functions -q {name}"
        yield f"  contains -- {name} $__dejavu_wrapped; or set -g -a __dejavu_wrapped {name}"
        yield f"  function {name}; __dejavu_wrap {name} $argv; end"
        yield "end"
    yield "end"


def _undo_fish() -> Iterator[str]:
    yield "for name in $__dejavu_wrapped; functions -e $name; end"
    yield "functions -e __dejavu_wrap; set -e __dejavu_wrapped"


def _fish_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
