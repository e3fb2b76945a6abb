"""The documents and the program say the same: what is named exists, what exists is named.

Commands, options, variables, settings, make targets, extras, endpoints, tools, files and links.
`docs/reference.md` is held to the commands by `tests/tools/test_reference.py`.
"""

import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dejavu.config.settings import Config, load_config
from dejavu.interfaces.command_line.commands import COMMANDS
from dejavu.interfaces.command_line.parameters import parameters_of
from dejavu.interfaces.command_line.simple_line import command
from dejavu.providers import PROVIDERS, Home

REPO = Path(__file__).resolve().parent.parent
DOCS = sorted([REPO / "README.md", REPO / "CONTRIBUTING.md", *(REPO / "docs").rglob("*.md")])
PROSE = [path for path in DOCS if path.name != "reference.md"]
CONFIGURATION = REPO / "docs" / "configuration.md"
PACKAGES = ("archive", "capsule", "scrapers", "screen", "src/dejavu")

every_document = pytest.mark.parametrize("path", DOCS, ids=lambda path: str(path.relative_to(REPO)))


def _code(path: Path) -> list[str]:
    """Indented lines, lines of fenced blocks, and what stands between backticks."""
    text = path.read_text("utf-8")
    fenced = re.findall(r"(?ms)^```\w*\n(.*?)^```", text)
    lines = [line for block in fenced for line in block.splitlines()]
    return [*lines, *re.findall(r"(?m)^    (.*)$", text), *re.findall(r"`([^`\n]+)`", text)]


def _split(words: str) -> tuple[str, str]:
    """The command, of one word or two, and the rest."""
    first, _, rest = words.strip().partition(" ")
    second, _, after = rest.partition(" ")
    return (f"{first} {second}", after) if f"{first} {second}" in COMMANDS else (first, rest)


def _commands(path: Path) -> set[tuple[str, str]]:
    """(command, rest of the line) of every `dejavu ...` in code of a document."""
    found: set[tuple[str, str]] = set()
    for line in _code(path):
        for words in re.findall(r"(?:^|\$ |[;|] ?|\S=\S+ )dejavu ([a-z][^#;|]*)", line):
            if not words.startswith("help"):
                found.add(_split(words))
    return found


@cache
def _known() -> dict[str, set[str]]:
    """The options of each command."""
    return {
        name: {
            "--help",
            *(opt for one in parameters_of(command(name)) for opt in [*one.on, *one.off]),
            "-h",
        }
        for name in COMMANDS
    }


@cache
def _help() -> str:
    """What `dejavu-run --help` says."""
    return subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.run", "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "COLUMNS": "200"},
    ).stdout


@cache
def _sources(*more: str) -> str:
    files = (path for package in (*PACKAGES, *more) for path in (REPO / package).rglob("*.py"))
    return "".join(path.read_text("utf-8") for path in files)


def _options(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


@every_document
def test_named_commands_and_their_options_exist(path: Path) -> None:
    for name, rest in sorted(_commands(path)):
        assert name in COMMANDS, f"{path.name} names `dejavu {name}`"
        missing = _options(rest) - _known()[name]
        assert not missing, f"{path.name} names `dejavu {name} {' '.join(missing)}`"


def _before_the_agent(words: list[str]) -> set[str]:
    """The options of a `dejavu-run` line, up to the agent's name."""
    found: set[str] = set()
    taking = re.findall(r"(--[a-z]+) [A-Z]", _help())
    while words and words[0].startswith("--") and words[0] != "--":
        option = words.pop(0)
        found.add(option)
        if option in taking and words:
            words.pop(0)
    return found


def test_options_of_the_wrapper_are_named_and_exist() -> None:
    known = _options(_help()) - {"--help"}
    named: set[str] = set()
    for line in (line for path in DOCS for line in _code(path)):
        for words in re.findall(r"dejavu-run ([^#;|`]*)", line):
            named |= _before_the_agent(words.split())
        named |= {word for word in known if line.startswith(word)}
    assert named - known == set(), "a document names an option that dejavu-run has not"
    assert known - named <= {"--version", "--no-screen"}, "no document names an option"


@every_document
def test_named_make_targets_exist(path: Path) -> None:
    makefile = (REPO / "Makefile").read_text()
    named = [target for line in _code(path) for target in re.findall(r"^make ([a-z0-9-]+)", line)]
    for target in named:
        assert re.search(rf"(?m)^{target}:", makefile), f"{path.name} names `make {target}`"


@every_document
def test_named_variables_are_read_somewhere(path: Path) -> None:
    for name in set(re.findall(r"\bDEJAVU_[A-Z_]+\b", path.read_text("utf-8"))):
        kind = re.fullmatch(r"DEJAVU_(CONFIG|DATA|STATE)_HOME", name)
        assert name in _sources("tests", "benchmarks") or kind, f"{path.name} names {name}"


def test_every_variable_that_is_read_is_documented() -> None:
    read = set(re.findall(r"(?<!_)\bDEJAVU_[A-Z_]*[A-Z]\b", _sources()))
    told = CONFIGURATION.read_text("utf-8")
    assert {name for name in read if f"`{name}`" not in told} == set()


def _tables() -> str:
    (block,) = re.findall(r"(?ms)^```toml\n(.*?)^```", CONFIGURATION.read_text("utf-8"))
    return block


def test_the_settings_that_are_shown_are_the_defaults_and_all_of_them(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(_tables())
    assert load_config(tmp_path) == Config()
    shown = tomllib.loads(re.sub(r"(?m)^# (?=\S+ = )", "", _tables()))
    expected = msgspec.to_builtins(Config())

    def keys(table: dict[str, object], before: str = "") -> set[str]:
        found = set[str]()
        for key, value in table.items():
            inner = isinstance(value, dict) and before + key not in (
                "capture.workspaces",
                "projects",
            )
            found |= keys(value, f"{before}{key}.") if inner else {before + key}  # type: ignore[arg-type]
        return found

    assert keys(shown) == keys(expected)


@every_document
def test_named_settings_exist(path: Path) -> None:
    text = path.read_text("utf-8")
    for block in re.findall(r"(?ms)^```toml\n(.*?)^```", text):
        if re.search(r"(?m)^\[(capture|hooks|sync|recall)", block):
            msgspec.convert(tomllib.loads(block), Config)
    for section in re.findall(r"`\[(\w+)\]`", text):
        assert section in Config.__struct_fields__, f"{path.name} names [{section}]"


@every_document
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text("utf-8")):
        assert (path.parent / target).exists(), f"{path.name} links to {target}"


@every_document
def test_named_files_of_the_repository_exist(path: Path) -> None:
    folders = "|".join((*PACKAGES, "tests", "golden", "benchmarks", "examples", "docs"))
    for name in re.findall(rf"`((?:{folders})/[\w./<>-]*)`", path.read_text("utf-8")):
        if re.search(
            r"myagent|<|/x\.py|/test_x\.py|^archive/(search/|recall/|vectors/|stats)", name
        ):
            continue  # an example, or a folder of the archive on disk
        assert (REPO / name).exists(), f"{path.name} names {name}"


@every_document
def test_named_extras_exist(path: Path) -> None:
    project = tomllib.loads((REPO / "pyproject.toml").read_text())["project"]
    named = re.findall(r"(?:dejavu-capture|')\.?\[([a-z,]+)\]", path.read_text("utf-8"))
    for extra in (one for words in named for one in words.split(",")):
        assert extra in project["optional-dependencies"], f"{path.name} names the extra {extra}"


def test_files_that_are_said_to_be_there_are_ours() -> None:
    for line in CONFIGURATION.read_text("utf-8").splitlines():
        for place in re.findall(r"`(?:~/\.\w+/(?:\w+/)?dejavu/|archive/)([\w.]+)/?`", line):
            assert f'"{place}"' in _sources(), f"nothing of ours is called {place}"


def test_named_endpoints_and_tools_exist() -> None:
    endpoints = pytest.importorskip(
        "dejavu.extensions.web.endpoints", reason="needs the extra http"
    )
    known = {f"{one.method} {one.path}" for one in endpoints.ENDPOINTS}
    known |= {"GET /v1/events", "GET /openapi.json", "GET /metrics"}
    tools = (REPO / "src/dejavu/interfaces/mcp/tools.py").read_text("utf-8")
    for path in PROSE:
        text = path.read_text("utf-8")
        assert set(re.findall(r"`((?:GET|POST) /[^`\s]*)`", text)) <= known
    memory = (REPO / "docs/guides/memory.md").read_text("utf-8")
    for name in re.findall(r"`((?:search|get|read|list)_\w+)`", memory):
        assert f"def {name}(" in tools, f"no tool is called {name}"


def test_every_command_is_told_in_prose() -> None:
    text = "".join(path.read_text("utf-8") for path in [*PROSE, REPO / "CHANGELOG.md"])
    for name in COMMANDS:
        assert re.search(rf"\b{name}\b", text), f"no document names `dejavu {name}`"


def test_every_agent_whose_files_are_read_is_in_the_table() -> None:
    table = (REPO / "docs/agents.md").read_text("utf-8")
    assert set(re.findall(r"(?m)^\| ([a-z-]+) \| [`.~]", table)) == set(PROVIDERS)


def test_every_page_is_reached_from_the_readme() -> None:
    readme = (REPO / "README.md").read_text("utf-8")
    pages = {str(path.relative_to(REPO)) for path in (REPO / "docs").rglob("*.md")}
    linked = set(re.findall(r"\]\((docs/[^)#]+\.md)\)", readme))
    for page in list(linked):
        text = (REPO / page).read_text("utf-8")
        for target in re.findall(r"\]\(([^)#:]+\.md)\)", text):
            linked.add(str(((REPO / page).parent / target).resolve().relative_to(REPO)))
    assert pages - linked == set()


def test_the_film_of_the_readme_is_that_of_the_golden_recording(tmp_path: Path) -> None:
    drawn = tmp_path / "replay.svg"
    recording = REPO / "golden" / "demo" / "tour" / "session.cast"
    subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli", "replay", str(recording),
         "--svg", str(drawn), "--idle", "1.5"],
        check=True,
        capture_output=True,
        timeout=120,
    )  # fmt: skip
    assert drawn.read_text() == (REPO / "docs/pictures/replay.svg").read_text(), "make pictures"


def test_the_provider_in_the_guide_reads_what_the_guide_says(tmp_path: Path) -> None:
    guide = (REPO / "docs" / "add-an-agent.md").read_text("utf-8")
    blocks: list[str] = re.findall(r"(?ms)^```python\n(.*?)^```", guide)
    module: dict[str, Any] = {"__package__": "dejavu.providers.myagent", "__name__": "files"}
    exec(next(block for block in blocks if "PROVIDER =" in block), module)
    provider = module["PROVIDER"]
    (tmp_path / ".myagent" / "sessions").mkdir(parents=True)
    (tmp_path / ".myagent" / "sessions" / "s1.jsonl").write_text(
        '{"type": "user", "id": "7", "text": "hi", "time": "2026-11-22T10:00:00Z", "cwd": "/w"}\n'
        '{"type": "assistant", "id": "8", "text": "hello"}\n{"type": "odd"}\n'
    )
    (source,) = provider.discover(Home(tmp_path, {}))
    parser = provider.parser(source)
    for delta in provider.follow(source):
        parser.feed(delta.data, delta.offset)
    (update,) = parser.take()
    assert update.conversation.workspace == "/w"
    assert [(turn.role.value, turn.text) for turn in update.turns[:2]] == [
        ("user", "hi"),
        ("assistant", "hello"),
    ]
    assert len(update.turns) == 3
