"""Agents in panes as they stand now: from the session of one that is watched, else by one look.

One look is read by the rules alone: it has no signals and no history. Cost: the multiplexers' own
commands, O(panes).

Tested in: tests/extensions/panes/test_watcher.py
"""

from collections.abc import Sequence
from typing import Any

from dejavu.model import RulePackError
from dejavu.scrapers import Packs, SessionReader
from dejavu.sessions import session_store as sessions
from dejavu.sessions.serialize import session_to_dict
from dejavu.sessions.user_packs import operator_packs

from .drawing import paint
from .multiplexer import Frame, Multiplexer, Pane, PaneError
from .processes import AgentProcess, agent_in, working_folder

_SETTLED = 60.0
"""Seconds of the reader's clock after which every state has been told."""


def list_agents(multiplexers: Sequence[Multiplexer]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the agents in panes, one plain value each, and what kept us from seeing others.

    A watched one has the shape of `dejavu status --json`; of any other `session` is null, `state`,
    `rule` and `confidence` are one look's. `watched` tells them apart.
    """
    watched = {
        view.session.source: view
        for view in sessions.find_all()
        if view.live and view.session.source
    }
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    packs: Packs | None = None
    try:
        packs = operator_packs()
    except (RulePackError, OSError, UnicodeDecodeError) as error:
        problems.append(str(error))
    for multiplexer in multiplexers:
        for pane in _panes(multiplexer, problems):
            agent = agent_in(pane)
            if agent is None:
                continue
            view = watched.get(pane.source)
            if view is not None and view.session.agent_pid == agent.pid:
                rows.append({**session_to_dict(view), "confidence": None, "watched": True})
                continue
            frame: Frame | None = None
            try:
                frame = multiplexer.frame(pane)._replace(history=())
            except PaneError as error:
                problems.append(str(error))
            rows.append(_row(pane, agent, frame, packs))
    return rows, list(dict.fromkeys(problems))


def _panes(multiplexer: Multiplexer, problems: list[str]) -> list[Pane]:
    panes: list[Pane] = []
    try:
        servers = multiplexer.servers()
    except PaneError as error:
        problems.append(str(error))
        return panes
    for server in servers:
        try:
            panes += multiplexer.panes(server)
        except PaneError as error:
            problems.append(str(error))
    return panes


def _row(
    pane: Pane, agent: AgentProcess, frame: Frame | None, packs: Packs | None
) -> dict[str, Any]:
    state, rule, confidence = "unknown", None, None
    if frame is not None:
        reader = SessionReader(
            agent.agent, frame.columns, frame.lines, history=0, packs=packs, styled=frame.styled
        )
        reader.drop_transcript()
        reader.output(paint(frame, first=True), 0.0)
        reader.tick(_SETTLED)
        state = str(reader.state)
        if reader.reading is not None:
            rule, confidence = reader.reading.rule, str(reader.reading.confidence)
    return {
        "session": None,
        "name": pane.source,
        "agent": agent.agent,
        "source": pane.source,
        "state": state,
        "rule": rule,
        "confidence": confidence,
        "pid": agent.pid,
        "workspace": working_folder(agent.pid) or pane.workspace,
        "watched": False,
    }
