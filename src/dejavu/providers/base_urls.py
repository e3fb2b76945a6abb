"""Sending an agent's model traffic to another base URL, for the wire proxy.

What an agent needs is in its folder: variables (`Agent.base_urls`), or its own function
where its settings have to be read. A base URL that the user had set is where the proxy forwards to.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dejavu.model import ConfigError

from .registry import BASE_URL_OVERRIDES, agent_of, agents


@dataclass(frozen=True, slots=True)
class BaseUrlOverride:
    """What to change for one run. `{0}`, `{1}` ... in values stand for the proxy's base URLs."""

    upstreams: list[str]
    """The servers the agent would have gone to, in the order of the placeholders."""
    environ: dict[str, str] = field(default_factory=dict[str, str])
    arguments: list[str] = field(default_factory=list[str])

    def apply(self, argv: Sequence[str], bases: Sequence[str]) -> tuple[list[str], dict[str, str]]:
        """The command line and the variables with the proxy's base URLs."""
        agent = agent_of(argv)
        end = next(i for i in range(len(argv)) if agent_of(argv[: i + 1]) == agent) + 1
        added = [_filled(word, bases) for word in self.arguments]
        variables = {name: _filled(value, bases) for name, value in self.environ.items()}
        return [*argv[:end], *added, *argv[end:]], variables


def overridable_agents() -> list[str]:
    """The agents that can be sent through the proxy, by name."""
    registered = agents().values()
    return sorted(agent.name for agent in registered if agent.base_urls or agent.base_url_override)


def base_url_override(
    argv: Sequence[str], environ: Mapping[str, str], server: str | None = None
) -> BaseUrlOverride:
    """How to send the agent of `argv` through the proxy; `server` is the one the user named.

    Raises:
        ConfigError: nothing moves this agent's base URL, or nothing says where it goes.
    """
    name = agent_of(argv)
    agent = agents().get(name)
    if name in BASE_URL_OVERRIDES:
        return BASE_URL_OVERRIDES[name](environ, server)
    if agent is None or not agent.base_urls:
        reason = agent.base_url_refusal if agent is not None else ""
        reason = reason or "no variable of it is known that holds a base URL"
        raise ConfigError(
            f"{name} cannot be sent through the proxy: {reason} "
            f"(it can be: {', '.join(overridable_agents())})"
        )
    upstreams: dict[str, str] = {}
    for variable, default in agent.base_urls:
        url = server if server and not upstreams else environ.get(variable) or default
        if url:
            upstreams[variable] = url
    if not upstreams:
        variable = agent.base_urls[0].variable
        raise ConfigError(
            f"{name}: the URL of its API is not known; set {variable} or use --upstream URL"
        )
    placeholders = {variable: f"{{{number}}}" for number, variable in enumerate(upstreams)}
    return BaseUrlOverride(list(upstreams.values()), placeholders)


def _filled(text: str, bases: Sequence[str]) -> str:
    for number, base in enumerate(bases):
        text = text.replace(f"{{{number}}}", base)
    return text


def bypass_proxies(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables that keep an agent behind a company's proxy from asking that one for us."""
    proxies = {"http_proxy", "https_proxy", "all_proxy"}
    if not any(name.lower() in proxies and value for name, value in environ.items()):
        return {}
    exempt = environ.get("NO_PROXY") or environ.get("no_proxy") or ""
    return dict.fromkeys(("NO_PROXY", "no_proxy"), f"{exempt},127.0.0.1".lstrip(","))
