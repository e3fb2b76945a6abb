"""Homes, sources and the protocols."""

from pathlib import Path

from dejavu.providers import PROVIDERS, Home, Kind, Parser, Provider, Source


def test_a_variable_moves_a_folder() -> None:
    home = Home(Path("/home/a"), {"CODEX_HOME": "/elsewhere", "XDG_DATA_HOME": "/data"})
    assert home.folder("CODEX_HOME", ".codex") == Path("/elsewhere")
    assert home.folder("CLAUDE_CONFIG_DIR", ".claude") == Path("/home/a/.claude")
    assert home.xdg_data("amp") == Path("/data/amp")
    assert Home(Path("/home/a"), {}).xdg_data("amp") == Path("/home/a/.local/share/amp")


def test_a_key_is_the_native_ids_not_the_folders() -> None:
    def key(path: str, native: str | None, instance: str = "one", name: str = "") -> str:
        return Source("claude", Path(path), instance, Kind.APPEND, native, None, name).key

    assert key("/a/s.jsonl", "s") == key("/b/s.jsonl", "s")
    assert key("/a/s.jsonl", "s") != key("/a/s.jsonl", "s", "two")
    assert key("/a/s.jsonl", None) != key("/b/s.jsonl", None)
    assert key("/a/s.jsonl", "s", name="s@a") != key("/a/s.jsonl", "s")
    assert key("/a/" + "x" * 4000, None).startswith("claude-")
    assert len(key("/a/" + "x" * 4000, None)) < 60


def test_own_home_takes_the_environment(home: Path) -> None:
    own = Home.own("here")
    assert own.path == home
    assert own.environ["HOME"] == str(home)
    assert own.instance == "here"


def test_parsers_keep_the_protocol(tmp_path: Path) -> None:
    for provider in PROVIDERS.values():
        source = Source(provider.agent, tmp_path / "x.jsonl", "one", Kind.APPEND, "x")
        assert isinstance(provider, Provider)
        assert isinstance(provider.parser(source), Parser)
