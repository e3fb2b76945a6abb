"""How each agent is told another base URL: the one table.

Takes an agent's command line and environment; gives the variables and arguments that send it to
our port, and the servers it would have gone to. A base URL that the user had set is where we go
on to. Sources: what the agents did on a scripted model, and their documentation.
"""

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast

from dejavu.model import ConfigError

from .agent_names import agent_of


class Variable(NamedTuple):
    """A variable that holds a base URL, and what the agent takes without it (None: nothing)."""

    name: str
    default: str | None


_OPENAI = "https://api.openai.com/v1"
_ANTHROPIC = "https://api.anthropic.com"

VARIABLES: Mapping[str, tuple[Variable, ...]] = {
    "claude": (Variable("ANTHROPIC_BASE_URL", _ANTHROPIC),),
    "gemini": (
        Variable("GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com"),
        Variable("CODE_ASSIST_ENDPOINT", "https://cloudcode-pa.googleapis.com"),
    ),
    # Without the variable Qwen Code goes where its settings say, and Copilot to GitHub, which
    # no variable moves.
    "qwen": (Variable("OPENAI_BASE_URL", None),),
    "copilot": (Variable("COPILOT_PROVIDER_BASE_URL", None),),
    "aider": (
        Variable("OPENAI_API_BASE", _OPENAI),
        Variable("ANTHROPIC_API_BASE", _ANTHROPIC),
    ),
}
AGENTS = (*sorted([*VARIABLES, "codex"]),)

_WHY_NOT = {
    "amp": "Amp's server holds the conversation itself; what passes is no model's API",
    "opencode": "its base URLs stand in opencode.json; set `options.baseURL` of the provider there",
    "kimi": "its base URLs stand in config.toml; set `base_url` of the provider there",
}


@dataclass(frozen=True, slots=True)
class Detour:
    """What to change for one run. `{0}`, `{1}` ... in values stand for our base URLs."""

    upstreams: list[str]
    environ: dict[str, str] = field(default_factory=dict[str, str])
    arguments: list[str] = field(default_factory=list[str])

    def applied(
        self, argv: Sequence[str], bases: Sequence[str]
    ) -> tuple[list[str], dict[str, str]]:
        """The command line and the variables with our base URLs."""
        agent = agent_of(argv)
        at = next(i for i in range(len(argv)) if agent_of(argv[: i + 1]) == agent) + 1
        added = [_filled(word, bases) for word in self.arguments]
        variables = {name: _filled(value, bases) for name, value in self.environ.items()}
        return [*argv[:at], *added, *argv[at:]], variables


def detour(argv: Sequence[str], environ: Mapping[str, str], named: str | None = None) -> Detour:
    """How to send the agent of `argv` through us; `named` is the server the user gave.

    Raises:
        ConfigError: nothing moves this agent's base URL, or nothing says where it goes.
    """
    agent = agent_of(argv)
    if agent == "codex":
        return _codex(environ, named)
    if agent not in VARIABLES:
        reason = _WHY_NOT.get(agent, "no variable of it is known that holds a base URL")
        raise ConfigError(
            f"{agent} cannot be sent through the proxy: {reason} (it can be: {', '.join(AGENTS)})"
        )
    found: dict[str, str] = {}
    for name, default in VARIABLES[agent]:
        url = named if named and not found else environ.get(name) or default
        if url:
            found[name] = url
    if not found:
        name = VARIABLES[agent][0].name
        raise ConfigError(f"{agent}: set {name}, or say --upstream URL: where shall it go on to?")
    places = {name: f"{{{number}}}" for number, name in enumerate(found)}
    return Detour(list(found.values()), places)


def _codex(environ: Mapping[str, str], named: str | None) -> Detour:
    """Codex takes its base URL from `config.toml`, which `-c` overrides.

    Its own provider answers over a WebSocket if it may; one that is refused goes on over HTTP.
    """
    home = Path(environ.get("CODEX_HOME") or Path(environ.get("HOME", "~")).expanduser() / ".codex")
    config = _read(home / "config.toml", tomllib.loads)
    provider = str(config.get("model_provider", "openai"))
    entry = _mapping(_mapping(config.get("model_providers")).get(provider))
    if entry:
        url = named or str(entry.get("base_url") or _OPENAI)
        key = f"model_providers.{provider}"
        settings = [f'{key}.base_url="{{0}}"', f"{key}.supports_websockets=false"]
    else:
        signed_in = bool(_read(home / "auth.json", json.loads).get("tokens"))
        own = "https://chatgpt.com/backend-api/codex" if signed_in else _OPENAI
        url = named or str(config.get("openai_base_url") or environ.get("OPENAI_BASE_URL") or own)
        settings = ['openai_base_url="{0}"']
    return Detour([url], arguments=[word for setting in settings for word in ("-c", setting)])


def _read(path: Path, parse: Any) -> dict[str, Any]:
    try:
        value = parse(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); say --upstream URL") from error
    return _mapping(value)


def _mapping(value: Any) -> dict[str, Any]:
    """A table as it is; anything else as an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _filled(text: str, bases: Sequence[str]) -> str:
    for number, base in enumerate(bases):
        text = text.replace(f"{{{number}}}", base)
    return text


def unproxied(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables that keep an agent behind a company's proxy from asking that one for us."""
    proxies = {"http_proxy", "https_proxy", "all_proxy"}
    if not any(name.lower() in proxies and value for name, value in environ.items()):
        return {}
    known = environ.get("NO_PROXY") or environ.get("no_proxy") or ""
    return dict.fromkeys(("NO_PROXY", "no_proxy"), f"{known},127.0.0.1".lstrip(","))
