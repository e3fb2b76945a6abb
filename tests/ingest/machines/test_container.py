"""A home in a container, through a stand-in of the engine's command line: no engine runs here.

The stand-in answers `inspect` and `cp SOURCE -` as Docker 28 and Podman 5 are documented to.
"""

import os
import stat
from pathlib import Path

import pytest
from tests.config.test_projects import repository
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.ingest.machines import Address, parse_address, sync_machine
from dejavu.ingest.machines.mirror import mirrors
from dejavu.ingest.sync import sync_homes
from dejavu.model import ConversationFilter, ProviderError
from dejavu.providers import Home

_ENGINE = """\
#!/bin/sh
MISSING="Could not find the file"
case "$1 $2" in
"inspect --type")
  [ "$4" = box ] || { echo "Error response from daemon: No such container: $4" >&2; exit 1; }
  printf '[{"Config": {"Env": ["PATH=/bin", "HOME=/h"], "User": "", "Labels": %s}}]' "${LABELS:-null}" ;;
cp*)
  path="$ROOT${2#box:}"
  [ -e "$path" ] || { echo "Error response from daemon: $MISSING ${2#box:} in container box" >&2
    exit 1; }
  cd "${path%/*}" && tar -cf - "${path##*/}" | head -c "${CUT:-99999999}" ;;
*) echo "unknown: $*" >&2; exit 125 ;;
esac
"""


@pytest.fixture
def container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of the container `box`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    engine = folder / "docker"
    engine.write_text(_ENGINE)
    engine.chmod(engine.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("ROOT", str(tmp_path / "container"))
    return tmp_path / "container/h"


def test_a_container_is_read_and_read_again(home: Path, container: Path) -> None:
    claude_session(container, "why?")
    (container / ".claude/.credentials.json").write_text("{}")
    copied: list[str] = []

    def copy() -> int:
        copied.clear()
        with open_archive(write=True) as archive:
            report = sync_machine(
                archive, parse_address("docker://box"), instance="box",
                copied=lambda name, _size: copied.append(name),
            )  # fmt: skip
        assert not report.unreadable
        return len(report.conversations)

    assert copy() == 1
    assert copied == [".claude/projects/-work-x/s1.jsonl"]
    assert copy() == 0
    assert copied == []
    claude_session(container, "why?", "and then?")
    assert copy() == 1
    assert not list(mirrors().rglob("*credentials*"))


def test_a_project_is_one_by_remote_by_name_and_by_label(
    home: Path, container: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three machines: a laptop with a clone, a home named in config.toml, and a container."""
    cloned = repository(tmp_path / "shop", "git@github.com:acme/shop.git")
    claude_session(home, "on a laptop", cwd=str(cloned), name="s1")
    claude_session(tmp_path / "restored", "by config", cwd="/srv/shop", name="s2")
    claude_session(container, "in a container", cwd="/w", name="s3")
    (home / "config.toml").write_text('[projects]\n"github.com/acme/shop" = ["/srv/shop"]\n')
    monkeypatch.setenv("DEJAVU_CONFIG_HOME", str(home))
    monkeypatch.setenv("LABELS", '{"dejavu.project": "https://github.com/acme/shop.git"}')
    with open_archive(write=True) as archive:
        sync_homes(archive, [Home(home, {}, "local"), Home(tmp_path / "restored", {}, "restored")])
        sync_machine(archive, parse_address("docker://box"), instance="box")
        found = archive.select(ConversationFilter(project="github.com/acme/shop"))
        assert {one.instance for one in found} == {"local", "restored", "box"}


@pytest.mark.parametrize(
    ("labels", "project"),
    [
        ('{"devcontainer.local_folder": "%s"}', "github.com/acme/shop"),
        ('{"devcontainer.local_folder": "%s", "dejavu.project": "till"}', "till"),
        ('{"devcontainer.local_folder": "C:\\\\work"}', ""),
        ('{"org.opencontainers.image.source": "https://github.com/debian/base"}', ""),
        ('{"dejavu.project": 7, "devcontainer.local_folder": {}}', "7"),
        ("[]", ""),
    ],
)
def test_labels_that_say_a_project(
    home: Path,
    container: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    labels: str,
    project: str,
) -> None:
    cloned = repository(tmp_path / "shop", "git@github.com:acme/shop.git")
    claude_session(container, "why?")
    monkeypatch.setenv("LABELS", labels.replace("%s", str(cloned)))
    with open_archive(write=True) as archive:
        sync_machine(archive, parse_address("docker://box"), instance="box")
        [found] = archive.scan()
        assert found.project == project


def test_a_container_that_is_not_there(home: Path, container: Path) -> None:
    with (
        open_archive(write=True) as archive,
        pytest.raises(ProviderError, match="No such container"),
    ):
        sync_machine(archive, parse_address("docker://other"), instance="x")


def test_a_stream_that_breaks_off_keeps_what_came(
    home: Path, container: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude_session(container, "why?")
    (container / ".claude/projects/-work-x/z.jsonl").write_bytes(b"\n" * 400_000)
    monkeypatch.setenv("CUT", "200000")
    address = parse_address("docker://box")
    with open_archive(write=True) as archive:
        assert "ended early" in _reason(archive, address)
        monkeypatch.delenv("CUT")
        assert not _reason(archive, address)
        assert archive.counts().conversations == 1
    assert not list(mirrors().rglob("*.dejavu-part"))


def _reason(archive: Archive, address: Address) -> str:
    """Why a container was not read whole; tar sends the files in the folder's own order."""
    try:
        report = sync_machine(archive, address, instance="box")
    except ProviderError as error:
        return str(error)
    return " ".join(reason for _, reason in report.unreadable)
