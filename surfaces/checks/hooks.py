"""Hooks: whether our entry stands in the agent's own settings.

Takes an agent and its home; looks for the hook's command in the agent's settings and changes
nothing. Reads at most 1 MiB of each file.
"""

from collections.abc import Iterator
from pathlib import Path

from dejavu.providers import Home

from .finding import Finding, Grade

_COMMAND = b"dejavu hook"
_MOST = 1 << 20

# agent -> (variable, folder, files): where each reads its hooks from
_SETTINGS: dict[str, tuple[str | None, tuple[str, ...], tuple[str, ...]]] = {
    "claude": ("CLAUDE_CONFIG_DIR", (".claude",), ("settings.json",)),
    "codex": ("CODEX_HOME", (".codex",), ("hooks.json", "config.toml")),
    "gemini": (None, (".gemini",), ("settings.json",)),
    "kimi": ("KIMI_CODE_HOME", (".kimi-code",), ("config.toml",)),
    "opencode": (None, (".config", "opencode"), ("plugins/dejavu.js", "plugins/dejavu.ts")),
    "qwen": (None, (".qwen",), ("settings.json",)),
}


def hooks(agent: str, home: Home) -> Iterator[Finding]:
    """One finding for an agent that calls hooks."""
    if agent not in _SETTINGS:
        return
    variable, default, names = _SETTINGS[agent]
    folder = home.folder(variable, *default)
    files = [str(folder / name) for name in names if _ours(folder / name)]
    told = f"in {files[0]}" if files else f"none of ours; `dejavu init {agent}` adds them"
    yield Finding(
        subject=f"{agent} hooks", grade=Grade.GOOD, told=told,
        facts={"installed": bool(files), "files": files},
    )  # fmt: skip


def _ours(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _COMMAND in file.read(_MOST).replace(b"'", b"").replace(b'\\"', b"")
    except OSError:
        return False
