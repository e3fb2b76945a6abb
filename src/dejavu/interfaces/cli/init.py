"""`dejavu init [AGENT ...]`: register hooks and the MCP server in each agent's own settings.

Says in a summary what will be read and written and what each agent gains, and asks once; `--diff`
shows the changes line by line. A file that cannot be read is left alone and named;
the others are changed all the same, and the exit code is 1. `--guard` and `--assist` are kept until
`--no-guard` and `--no-assist`. `--list` names every agent and what it can be wired for.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dejavu.config.paths import archive_location
from dejavu.integrations import capabilities, changes, git_hook, launcher, manifest
from dejavu.integrations.changes import Change
from dejavu.integrations.registration import edits, registrable_agents
from dejavu.model import ConfigError, InvalidValueError
from dejavu.providers import INTEGRATIONS, PROVIDERS, Home, search_roots

from ..command_line.output import confirm, one_line, print_json, print_note, style
from ..command_line.parameters import Option
from ..command_line.settings_changes import apply_changes, show
from ..command_line.stdio import ExitError
from ..filters import did_you_mean

if TYPE_CHECKING:
    from ..command_line.parameters import AgentNames, Json


def command(
    agents: AgentNames = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Show the changes and make none.")] = False,
    diff: Annotated[bool, Option("--diff", help="Show the changes line by line.")] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
    guard: Annotated[
        bool | None,
        Option(
            "--guard/--no-guard", help="Redact secrets in tool results before the model sees them."
        ),
    ] = None,
    assist: Annotated[
        bool | None,
        Option("--assist/--no-assist", help="Tell agents of past fixes and decisions."),
    ] = None,
    git: Annotated[
        bool,
        Option(
            "--git", help="Only: let this repository's commits name conversations.", hidden=True
        ),
    ] = False,
    renew: Annotated[
        bool, Option("--upgrade", help="Only update existing registrations to this version.")
    ] = False,
    fail_open: Annotated[
        bool, Option("--fail-open", help="With --guard: let through results that can't be checked.")
    ] = False,
    list_: Annotated[
        bool, Option("--list", help="Only list agents and what each can be set up for.")
    ] = False,
    json: Json = False,
) -> None:
    """Register hooks and the MCP server with agents."""
    if json and not list_:
        raise InvalidValueError("--json goes with --list")
    if list_:
        _list(agents, json=json)
        return
    if fail_open and not guard:
        raise InvalidValueError("--fail-open goes with --guard")
    if git:
        install_git_hook(yes=yes, dry_run=dry_run)
        return
    if renew:
        from ..command_line.upgrade import upgrade  # of use to this form alone

        upgrade(dry_run=dry_run)
        return
    home = Home.own()
    names = _names(agents, home)
    wish = _guard(guard, fail_open=fail_open)
    planned = [
        change
        for name in names
        for change in changes.plan_add(name, edits(name, home, wish, assist))
    ]
    if any(change.needed for change in planned):
        summary(home, names, planned)
    show(planned, diffs=diff)
    _carry_out(planned, names, dry_run=dry_run, diff=diff, yes=yes)
    if not dry_run:
        _say_what_follows(names, assist=bool(assist), guard=bool(guard), offer=not yes)
    if any(change.refused for change in planned):
        raise ExitError(1)


def _names(agents: list[str] | None, home: Home) -> list[str]:
    """The agents that are named, or those that are here.

    Raises:
        ExitError: there are none.
    """
    names = chosen(agents) or [
        name for name in registrable_agents() if INTEGRATIONS[name].folder(home).is_dir()
    ]
    if not agents:
        _print_left(home, names)
    if not names:
        print_note(f"no agent found here; choose from {', '.join(registrable_agents())}")
        raise ExitError(1)
    return names


def _carry_out(
    planned: list[Change], names: list[str], *, dry_run: bool, diff: bool, yes: bool
) -> None:
    """Make the changes that are needed, once they are agreed to."""
    wanted = [change for change in planned if change.needed]
    if wanted and dry_run and not diff:
        print_note("nothing was changed; --diff shows every line")
    if wanted and not dry_run:
        if not yes:
            ask(
                f"Hooks give Déjà Vu your prompts and the answers of {', '.join(names)}; they are "
                "stored in your archive and sent nowhere."
            )
        launcher.write()
        apply_changes(wanted, changes.apply)
    elif not wanted and not any(change.refused for change in planned):
        print("everything is already registered")


def _say_what_follows(names: list[str], *, assist: bool, guard: bool, offer: bool) -> None:
    """What the person should know of what was set up, and what more there is."""
    for name in names:
        if INTEGRATIONS[name].note:
            print_note(INTEGRATIONS[name].note)
    if assist:
        _say_who_is_assisted(names)
    if guard:
        _say_what_is_guarded(names)
    if offer:
        from ..command_line.offer_vectors import offer_vectors  # asked once

        offer_vectors()


def install_git_hook(*, yes: bool, dry_run: bool) -> None:
    """Make the hook of the repository of the working folder."""
    path = git_hook.hook_path(Path.cwd())
    print(f"writes  {one_line(str(path))}: trailers with the conversations of each commit")
    if dry_run:
        return
    if not yes:
        ask("The ids of conversations become part of the repository's history.")
    launcher.write()
    if not git_hook.install(path):
        print("the hook is there already")


def _guard(guard: bool | None, *, fail_open: bool) -> launcher.Guard | None:
    if guard is None:
        return None
    if not guard:
        return launcher.Guard.OFF
    return launcher.Guard.OPEN if fail_open else launcher.Guard.CLOSED


def _say_what_is_guarded(names: list[str]) -> None:
    """Say of each agent what the guard cannot do, because its hooks do not let it."""
    for name in names:
        integration = INTEGRATIONS[name]
        if integration.guard_event:
            print_note(f"{name}: guarded, except {integration.guard_limits}")
        else:
            print_note(f"{name}: not guarded, its hooks cannot replace what a tool returned")


def _say_who_is_assisted(names: list[str]) -> None:
    """Say of each agent what the assistance cannot do, because its hooks do not let it."""
    for name in names:
        integration = INTEGRATIONS[name]
        if not integration.assist_events:
            print_note(f"{name}: not assisted, {integration.assist_limits}")
        elif integration.assist_limits:
            print_note(f"{name}: assisted, but {integration.assist_limits}")


def chosen(agents: list[str] | None) -> list[str]:
    """The named agents without doubles; raise InvalidValueError for an unknown one."""
    for name in agents or []:
        if name not in INTEGRATIONS:
            registrable = registrable_agents()
            near = did_you_mean(name, registrable)
            raise InvalidValueError(f"{name!r} is not one of {', '.join(registrable)}{near}")
    return list(dict.fromkeys(agents or []))


def _list(agents: list[str] | None, *, json: bool) -> None:
    """Every agent that can be registered with, whether it is here, and what it can be wired for."""
    home = Home.own()
    registered = {record.agent for record in manifest.records().values()}
    names = chosen(agents) or registrable_agents()
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "installed": capabilities.is_here(name, home),
            "registered": name in registered,
            "can": capabilities.capabilities(name),
        }
        for name in names
    ]
    if json:
        print_json({"agents": rows})
        return
    for row in rows:
        here = "registered" if row["registered"] else "here" if row["installed"] else "-"
        print(f"{row['name']:16} {here:10}  {', '.join(row['can'])}")
    print()
    for word, meaning in capabilities.MEANINGS.items():
        print(style(f"{word:8} {meaning}", "2"))


def summary(home: Home, names: list[str], planned: list[Change]) -> None:
    """Which folders are read from then on, which files are written, and what each agent gains."""
    wanted = [change for change in planned if change.needed]
    for name in names:
        provider = PROVIDERS.get(name)
        folders = sorted(str(path) for path in search_roots(provider, home)) if provider else []
        if folders:
            print(f"reads   {name}: {one_line(', '.join(folders))}")
    for change in wanted:
        what = "" if change.current is None else ", your entries stay as they are"
        print(f"writes  {one_line(str(change.path))} ({change.what}{what})")
    for name in names:
        text = b"".join(change.planned or b"" for change in planned if change.agent == name)
        can = [word for word in capabilities.capabilities(name) if word != "plugin"]
        asked = [w for w in can if w in ("guard", "assist") and f"hook {w}".encode() not in text]
        more = f" (not {', '.join(asked)}: add {', '.join(f'--{word}' for word in asked)})"
        gains = ", ".join(word for word in can if word not in asked)
        print(f"gains   {name}: {gains}{more if asked else ''}")
    print(f"keeps   {one_line(archive_location())}; `dejavu uninstall` restores every byte")


def ask(why: str) -> None:
    """Ask once; no answer is no."""
    if not sys.stdin.isatty():
        raise ConfigError("no terminal to ask on; --yes makes the changes")
    print(why)
    if not confirm("Make these changes?"):
        raise ExitError(1)


def _print_left(home: Home, names: list[str]) -> None:
    """Name the agents whose history is here that are not registered with, and why."""
    for name, provider in sorted(PROVIDERS.items()):
        if name in names or not any(path.exists() for path in search_roots(provider, home)):
            continue
        if name in INTEGRATIONS:
            folder = one_line(str(INTEGRATIONS[name].folder(home)))
            why = f"its settings folder {folder} is not here; `dejavu init {name}` makes it"
        else:
            why = "nothing can be registered with it; `dejavu sync` reads its history"
        print_note(f"left alone: {name}: {why}")
