"""One folder an agent: each says what it has, and nothing outside of the folders names an agent."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dejavu.providers import PROVIDERS, Home, agents, find_agent, registry
from dejavu.providers.agent import Agent
from dejavu.providers.formats.hooks import Hook
from dejavu.providers.formats.otlp import Telemetry
from dejavu.providers.formats.streams import Stream
from dejavu.providers.integration import Integration
from dejavu.providers.protocol import Provider

REPO = Path(__file__).parents[2]
FOLDERS = REPO / "src" / "dejavu" / "providers"

AMBIGUOUS = {"amp", "continue", "cursor", "demo", "generic", "pi"}
"""Names that mean something else in most places: an entity, the terminal's cursor, a number."""

ALLOWED = {
    "providers/registry.py": "the one list of the folders, and of the editors made from VS Code",
    "providers/formats/anthropic_messages.py": "the kind of these parts in every archive",
    "providers/formats/wire/generate_content.py": "the API's id in stored exchanges",
    "providers/imports/__init__.py": "the names of exports' forms",
    "providers/imports/claude_ai.py": "the kinds of parts of an export",
    "providers/imports/markdown.py": "who speaks in other programs' transcripts",
    "redact/vendors_ai.py": "vendors whose keys are known by their form",
    "redact/vendors_cloud.py": "vendors whose keys are known by their form",
    "export/otel/spans.py": "how names of models begin, by vendor",
    "interfaces/run.py": "help: an example has to run something",
    "interfaces/tui/first_run.py": "help: what to type first",
    "interfaces/cli/import_.py": "help: exports' forms, and the one agent whose server can be followed",
    "interfaces/cli/shell_init.py": "commands whose names other programs have, too",
    "interfaces/cli/sync.py": "help: the one agent whose program can be asked",
    "interfaces/cli/rationale.py": "help: an example of a command",
    "interfaces/cli/search.py": "help: an example of a query",
    "interfaces/command_line/examples.py": "help: an example has to run something",
    "interfaces/command_line/topics.py": "help: an example of a query",
    "extensions/acp/commands.py": "help: an example has to run something",
    "extensions/code/commands.py": "help: an example has to run something",
    "extensions/wire/commands.py": "help: an example has to run something",
    "config/settings.py": "docstring: an example of the settings file",
    "capsule/__init__.py": "docstring: an example of a call",
    "model/conversation_filter.py": "docstring: an example of a field",
    "archive/search/query.py": "docstring: an example of a query",
    "recall/context_block.py": "the names of files with instructions",
    "client.py": "docstring: an example of a call",
    "export/stats/prices.py": "how names of models are written, by vendor",
    "sessions/observer/server.py": "what most sessions will need, loaded and compiled ahead",
    "extensions/code/agent_trace.py": "how names of models begin, by vendor",
    "extensions/code/patches.py": "docstring: whose patches have this form",
    "tools/typescript_client.py": "an example of a call",
    "tools/status_screens.py": "the names of recordings",
    "tools/trace_modules.py": "walks through the program with one agent's files",
}
"""Modules that may name an agent, and why."""


_TESTED_IN = re.compile(r"^Tested in: .*", re.MULTILINE)


def _modules() -> Iterator[tuple[str, Path]]:
    own = [FOLDERS / name for name in registry.FOLDERS]
    for root in ("src/dejavu", "capsule", "screen", "scrapers", "archive", "tools"):
        for path in sorted((REPO / root).rglob("*.py")):
            if not any(path.is_relative_to(folder) for folder in own):
                name = path.relative_to(REPO)
                yield str(name).removeprefix("src/dejavu/"), path


def _words(text: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)}


def _named(path: Path, name: str) -> set[str]:
    """The words in a module's string literals and identifiers.

    Docstrings of shared formats are left out: they say whose output a format was recorded from.
    """
    words: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if name.startswith("providers/formats/") and isinstance(node, ast.Expr):
            if isinstance(node.value, ast.Constant):
                node.value.value = None
            continue
        match node:
            case ast.Constant(value=str() as text):
                words |= _words(_TESTED_IN.sub("", text))
            case ast.Constant(value=bytes() as data):
                words |= _words(data.decode("latin-1"))
            case ast.Name(id=text) | ast.Attribute(attr=text) | ast.arg(arg=text):
                words |= _words(text)
            case ast.FunctionDef(name=text) | ast.ClassDef(name=text) | ast.alias(name=text):
                words |= _words(text)
            case ast.ImportFrom(module=str() as text):
                words |= _words(text)
            case _:
                pass
    return words


def test_nothing_outside_of_the_folders_names_an_agent() -> None:
    packs = {path.stem for path in (REPO / "scrapers" / "agents").glob("*.toml")}
    names = {*packs, *registry.FOLDERS} - AMBIGUOUS
    naming = {name for name, path in _modules() if _named(path, name) & names}
    assert naming - set(ALLOWED) == set(), "say it in the agent's folder"


def test_no_exception_is_left_over() -> None:
    packs = {path.stem for path in (REPO / "scrapers" / "agents").glob("*.toml")}
    names = {*packs, *registry.FOLDERS, "amp"}
    modules = dict(_modules())
    assert {name for name in ALLOWED if not _named(modules[name], name) & names} == set()


def test_an_ambiguous_name_is_no_literal_of_its_own_where_agents_are_told_apart() -> None:
    """`"amp"` as a whole literal is an agent; `&amp;` inside a text is not."""
    for name, path in _modules():
        tree = ast.parse(path.read_text("utf-8"))
        literals = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        assert name in ALLOWED or not literals & {"amp", "cursor-agent", "pi"}, name


KINDS: dict[str, type] = {
    "files": Provider,
    "stream": Stream,
    "hooks": Hook,
    "telemetry": Telemetry,
    "integration": Integration,
}


@pytest.mark.parametrize("agent", agents().values(), ids=list(agents()))
def test_every_part_is_where_the_folder_says(agent: Agent, home: Path) -> None:
    for field, kind in KINDS.items():
        if getattr(agent, field):
            part: Any = registry.AgentParts[Any](field)[agent.name]
            assert isinstance(part, kind)
            assert getattr(part, "agent", agent.name) == agent.name
    if agent.retention:
        days = registry.RETENTION[agent.name](Home(home, {}))
        assert days is None or days > 0
    if agent.cli_export:
        assert isinstance(registry.CLI_EXPORTS[agent.name](), Provider)
    assert callable(registry.BASE_URL_OVERRIDES.get(agent.name, len))


def test_folders_names_and_programs_are_apart() -> None:
    known = agents()
    assert [agent.name.replace("-", "_") for agent in known.values()] == list(registry.FOLDERS)
    programs = [program for agent in known.values() for program in agent.executables]
    assert len(set(programs)) == len(programs)
    for agent in known.values():
        assert all(find_agent(program) is agent for program in agent.executables)
    assert find_agent("kimi-cli") is known["kimi"]
    assert find_agent("vim") is None


def test_an_agent_without_a_part_is_not_in_its_list() -> None:
    assert "demo" not in PROVIDERS
    assert PROVIDERS.get("vim") is None
    with pytest.raises(KeyError):
        PROVIDERS["demo"]
    with_files = {agent.name for agent in agents().values() if agent.files or agent.store}
    assert set(PROVIDERS) == with_files


def test_a_payload_without_a_name_is_its_agents() -> None:
    assert registry.agent_of_payload({"hook_event_name": "BeforeAgent"}).name == "gemini"
    assert registry.agent_of_payload({"client_type": "kimi-code"}).name == "kimi"
    assert registry.agent_of_payload({"hook_event_name": "Stop"}).name == "claude"
    assert registry.agent_of_payload({}).name == "claude"
