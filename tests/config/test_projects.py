"""The project of a folder: by its repository's remote, its main worktree, or the settings."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.config.projects import project_of
from dejavu.config.settings import load_config

_IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@example.org")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *_IDENTITY, *words], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, remote: str = "") -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


@pytest.mark.parametrize(
    "remote",
    [
        "git@github.com:Acme/shop.git",
        "https://github.com/acme/shop",
        "https://user:s3cret@github.com/acme/shop.git/",
        "ssh://git@github.com:2222/acme/shop.git",
        "git://github.com/acme/shop",
    ],
)
def test_every_way_to_write_a_remote_is_one_project(tmp_path: Path, remote: str) -> None:
    root = repository(tmp_path / "clone", remote)
    (root / "packages" / "api").mkdir(parents=True)
    assert project_of(str(root)) == "github.com/acme/shop"
    assert project_of(str(root / "packages" / "api")) == "github.com/acme/shop/packages/api"


def test_worktrees_are_one_project_with_a_remote_and_without(tmp_path: Path) -> None:
    root = repository(tmp_path / "main")
    git(root, "worktree", "add", "-q", str(tmp_path / "other" / "feature"))
    assert project_of(str(root)) == project_of(str(tmp_path / "other" / "feature")) == str(root)
    git(root, "remote", "add", "upstream", "git@example.org:team/app.git")
    assert project_of(str(tmp_path / "other" / "feature")) == "example.org/team/app"


def test_a_submodule_is_its_own_project(tmp_path: Path) -> None:
    library = repository(tmp_path / "library", "https://example.org/library.git")
    root = repository(tmp_path / "app", "https://example.org/app.git")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    git(root / "lib", "remote", "set-url", "origin", "https://example.org/library.git")
    assert project_of(str(root / "lib")) == "example.org/library"


def test_folders_outside_of_repositories_have_none(tmp_path: Path) -> None:
    (tmp_path / "plain" / ".git").mkdir(parents=True)  # no repository: it has no config
    assert project_of(str(tmp_path / "plain")) == ""
    assert project_of(str(tmp_path / "gone")) == ""
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / ".git").write_text("gitdir: /nowhere/else\n")
    assert project_of(str(tmp_path / "file")) == ""


@pytest.mark.parametrize(
    "folder",
    ["~no-such-user/x", "relative/x", "C:\\Users\\a\\shop", "", ".", "/a\0b", "/\udcff\ud800"],
)
def test_what_is_no_folder_of_this_system_has_none(
    tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository(tmp_path / "clone", "git@github.com:acme/shop.git"))
    assert project_of(folder) == project_of(folder, {"shop": ("~no-such-user/x2",)}) == ""


def test_the_settings_say_it_first(tmp_path: Path) -> None:
    root = repository(tmp_path / "clone", "git@github.com:acme/shop.git")
    (tmp_path / "config.toml").write_text(f'[projects]\nshop = ["{root}", "/srv/shop"]\n')
    named = load_config(tmp_path).projects
    assert project_of(str(root), named) == "shop"
    assert project_of("/srv/shop/api", named, repositories=False) == "shop/api"
    assert project_of(str(root), named | {"shop": ()}, repositories=False) == ""


def test_a_container_says_it_where_git_names_no_remote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").mkdir()
    cloned = repository(tmp_path / "clone", "git@github.com:acme/shop.git")
    alone = repository(tmp_path / "alone")
    monkeypatch.setenv("DEJAVU_PROJECT", " https://github.com/Acme/blog.git ")
    assert project_of(str(tmp_path / "plain")) == project_of("") == "github.com/acme/blog"
    assert project_of(str(alone / "api")) == "github.com/acme/blog/api"
    assert project_of(str(cloned)) == "github.com/acme/shop"
    assert project_of(str(alone), {"till": (str(alone),)}) == "till"
    assert project_of(str(alone), repositories=False) == ""
    for unfit in ("a\x1bb", "x" * 301, "  "):
        monkeypatch.setenv("DEJAVU_PROJECT", unfit)
        assert project_of(str(tmp_path / "plain")) == ""
        assert project_of(str(alone)) == str(alone)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300))
def test_a_hostile_config_gives_a_printable_name_or_none(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    root = tmp_path_factory.mktemp("hostile")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_bytes(b'[remote "origin"]\n\turl = https://h/' + content)
    name = project_of(str(root))
    assert name.isprintable()
    assert len(name) <= 300


def test_a_pipe_and_a_huge_file_in_place_of_the_config_are_not_read(tmp_path: Path) -> None:
    root = tmp_path / "huge"
    (root / ".git").mkdir(parents=True)
    with (root / ".git" / "config").open("wb") as file:
        file.truncate(1 << 32)
    assert project_of(str(root)) == ""
