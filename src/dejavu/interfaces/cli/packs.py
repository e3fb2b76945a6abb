"""`dejavu packs learn AGENT`: rules for an agent whose screen is read badly, from aligned sessions.

Rules are learnt from half of the sessions that the observer aligned with the agent's own trace, and
tried on the other half: both figures are printed, before and after. `--accept` adds the rules to the
user's own, and refuses what does not hold on the half it was not learnt from. Exit codes: 0 there
is a proposal (and it was accepted), 1 none that holds, 3 no aligned sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.model import InvalidValueError, NotFoundError

from ..command_line.output import print_json, print_note
from ..command_line.parameters import Argument, Option
from ..command_line.stdio import ExitError

if TYPE_CHECKING:
    from dejavu.scrapers.learn import Trial

    from ..command_line.parameters import Json

_ENOUGH = 4
"""Screens of the half that was held back, without which nothing is accepted."""


def command(
    action: Annotated[
        str, Argument(help="learn: propose rules from sessions that have files, too.")
    ],
    agent: Annotated[str, Argument(help="The agent whose screen is read badly.")],
    accept: Annotated[
        bool, Option("--accept", help="Add the rules to your own if they pass.")
    ] = False,
    json: Json = False,
) -> None:
    """Propose rules for an agent's screen, and try them."""
    if action != "learn":
        raise InvalidValueError(f"{action!r} is not `learn`")
    from dejavu.scrapers.learn import try_out
    from dejavu.sessions.aligned_screens import load
    from dejavu.sessions.user_packs import accept_learnt, pack_of

    pack = pack_of(agent)
    if pack is None:
        raise InvalidValueError(f"no rule pack reads {agent!r}; docs/add-an-agent.md makes one")
    sessions = load(agent)
    if not sessions:
        raise NotFoundError(
            f"no session of {agent} was read badly and kept: aligned screens come from sessions "
            "under `dejavu-run --screen` whose agent keeps files, and whose score is below the bar"
        )
    trial = try_out(pack[1], [session.screens for session in sessions])
    holds = trial.holds and trial.screens >= _ENOUGH
    path = accept_learnt(pack[0], trial.proposal.to_toml()) if accept and holds else None
    if json:
        held_back = {
            "screens": trial.screens, "of_one_session": len(sessions) == 1,
            "before": trial.before_figures, "after": trial.after_figures,
            "new_false_idles": trial.false_idles,
        }  # fmt: skip
        print_json(
            {
                "agent": agent, "version": sessions[0].version or None, "sessions": len(sessions),
                "held_back": held_back, "holds": holds, "rules": trial.proposal.to_toml(),
                "accepted": None if path is None else str(path),
            }
        )  # fmt: skip
    else:
        _print(agent, sessions[0].version, len(sessions), trial)
        if path is not None:
            print_note(
                f"{path} is in force from the next look of each session on; remove it to undo"
            )
    if not holds:
        print_note(_why_not(trial.screens, bool(trial.proposal.changes)))
        raise ExitError(1)


def _print(agent: str, version: str, count: int, trial: Trial) -> None:
    name = f"{agent} {version}".strip()
    print(f"# rules for {name}, learnt from {max(1, count - count // 2)} of {count} sessions\n")
    if rules := trial.proposal.to_toml():
        print(rules)
    before, after = trial.before_figures, trial.after_figures
    held = "the other half of its screens" if count == 1 else "sessions not learnt from"
    print(f"# on {held} ({trial.screens} screens): text {_shown(before, after, 'text')},")
    print(f"# states {_shown(before, after, 'states')}, new false idles {trial.false_idles}")


def _shown(before: dict[str, float | None], after: dict[str, float | None], name: str) -> str:
    values = ["-" if figure is None else f"{figure:.2f}" for figure in (before[name], after[name])]
    return " -> ".join(values)


def _why_not(screens: int, proposed: bool) -> str:
    if not proposed:
        return "nothing was found that reads these screens better"
    if screens < _ENOUGH:
        return f"{screens} screens to try it on are too few to accept it: run another session"
    return "it does not hold on screens it was not learnt from, so it is not accepted"
