"""Codex's base URL: it is in `config.toml`, which `-c` on the command line overrides.

Its own provider answers over a WebSocket if it may; if refused, it continues over HTTP.

Tested in: tests/providers/test_base_urls.py
"""

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dejavu.config.files import read_regular_file
from dejavu.model import ConfigError

from ..base_urls import BaseUrlOverride
from ..formats.json_lines import as_dict

_OPENAI = "https://api.openai.com/v1"
_SIGNED_IN = "https://chatgpt.com/backend-api/codex"


def override(environ: Mapping[str, str], server: str | None) -> BaseUrlOverride:
    """The options that lead Codex to the proxy; `server` is where the proxy is to go on to.

    Raises:
        ConfigError: its settings cannot be read.
    """
    home = Path(environ.get("CODEX_HOME") or Path(environ.get("HOME", "~")).expanduser() / ".codex")
    config = _read(home / "config.toml", tomllib.loads)
    provider = str(config.get("model_provider", "openai"))
    entry = as_dict(as_dict(config.get("model_providers")).get(provider))
    if entry:
        url = server or str(entry.get("base_url") or _OPENAI)
        key = f"model_providers.{provider}"
        settings = [f'{key}.base_url="{{0}}"', f"{key}.supports_websockets=false"]
    else:
        signed_in = bool(_read(home / "auth.json", json.loads).get("tokens"))
        default = _SIGNED_IN if signed_in else _OPENAI
        configured = config.get("openai_base_url") or environ.get("OPENAI_BASE_URL")
        url = server or str(configured or default)
        settings = ['openai_base_url="{0}"']
    return BaseUrlOverride(
        [url], arguments=[word for setting in settings for word in ("-c", setting)]
    )


def _read(path: Path, parse: Callable[[str], Any]) -> dict[str, Any]:
    try:
        return as_dict(parse(read_regular_file(path).decode("utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read {path} ({error}); use --upstream URL") from error
