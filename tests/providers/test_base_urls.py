import json
from pathlib import Path

import pytest

from dejavu.extensions.wire.routes import upstream
from dejavu.model import ConfigError
from dejavu.providers import agents
from dejavu.providers.base_urls import base_url_override, bypass_proxies, overridable_agents

BASES = ["http://127.0.0.1:1/s/0", "http://127.0.0.1:1/s/1"]


@pytest.mark.parametrize("agent", [one.name for one in agents().values() if one.base_urls])
def test_every_variable_is_moved_and_leads_on(agent: str) -> None:
    known = {one.variable: f"https://mine/{i}" for i, one in enumerate(agents()[agent].base_urls)}
    way = base_url_override([agent], known)
    assert way.upstreams == list(known.values()), "what the user had set is where we go on to"
    command, variables = way.apply([agent, "-x"], BASES)
    assert (command, list(variables)) == ([agent, "-x"], list(known))
    assert list(variables.values()) == BASES[: len(known)]


def test_without_a_variable_the_agents_own_server_is_meant() -> None:
    assert base_url_override(["/usr/bin/claude"], {}).upstreams == ["https://api.anthropic.com"]
    for agent in ("gemini", "aider"):
        assert all(upstream(url).tls for url in base_url_override([agent], {}).upstreams)


def test_the_server_that_was_named_wins() -> None:
    given = {"ANTHROPIC_BASE_URL": "https://mine"}
    assert base_url_override(["claude"], given, "https://named").upstreams == ["https://named"]


@pytest.mark.parametrize(
    ("agent", "word"), [("qwen", "OPENAI_BASE_URL"), ("copilot", "--upstream"), ("amp", "Amp")]
)
def test_an_agent_that_cannot_be_moved_says_why(agent: str, word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        base_url_override([agent], {})
    with pytest.raises(ConfigError, match=", ".join(overridable_agents())):
        base_url_override(["vim"], {})


@pytest.fixture
def codex(tmp_path: Path) -> Path:
    (tmp_path / ".codex").mkdir()
    return tmp_path / ".codex"


def _codex(folder: Path, **environ: str) -> tuple[list[str], list[str]]:
    way = base_url_override(["codex"], {"HOME": str(folder.parent), **environ})
    return way.upstreams, way.apply(["npx", "codex", "exec", "hi"], BASES)[0]


def test_codex_is_moved_by_its_own_option(codex: Path) -> None:
    servers, command = _codex(codex)
    assert servers == ["https://api.openai.com/v1"]
    setting = f'openai_base_url="{BASES[0]}"'
    assert command == ["npx", "codex", "-c", setting, "exec", "hi"]
    assert _codex(codex, OPENAI_BASE_URL="https://o/v1")[0] == ["https://o/v1"]
    (codex / "auth.json").write_text(json.dumps({"tokens": {"access_token": "x"}}))
    assert _codex(codex)[0] == ["https://chatgpt.com/backend-api/codex"]


def test_codex_with_a_provider_of_the_users(codex: Path) -> None:
    (codex / "config.toml").write_text(
        'model_provider = "own"\n[model_providers.own]\nbase_url = "http://127.0.0.1:9/v1"\n'
    )
    servers, command = _codex(codex)
    assert servers == ["http://127.0.0.1:9/v1"]
    assert f'model_providers.own.base_url="{BASES[0]}"' in command
    (codex / "config.toml").write_text("= no toml")
    with pytest.raises(ConfigError, match=r"config\.toml"):
        _codex(codex)


def test_a_companys_proxy_is_not_asked_for_us() -> None:
    assert bypass_proxies({"NO_PROXY": "x"}) == {}
    given = {"https_proxy": "http://p", "no_proxy": "intern"}
    assert bypass_proxies(given) == dict.fromkeys(("NO_PROXY", "no_proxy"), "intern,127.0.0.1")
