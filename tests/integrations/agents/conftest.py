"""An agent registered in an empty home: what its files say then."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dejavu.integrations.agents import REGISTRATIONS
from dejavu.providers import Home

Registered = Callable[..., dict[str, Any]]


@pytest.fixture
def registered(home: Path) -> Registered:
    """`registered("codex", CODEX_HOME="/x")` gives the files' values, by path."""

    def register(agent: str, **environ: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for edit in REGISTRATIONS[agent].edits(Home(home, environ)):
            text = edit.add("")
            path = str(edit.path.relative_to(home) if edit.path.is_relative_to(home) else edit.path)
            if path.endswith(".json"):
                found[path] = json.loads(text)
            else:
                found[path] = tomllib.loads(text) if path.endswith(".toml") else text
        return found

    return register
