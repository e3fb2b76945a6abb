from pathlib import Path

import pytest
from tests.factories.edits import git

from dejavu.integrations import git_hook
from dejavu.integrations.launcher import launcher
from dejavu.model import ConfigError, NotFoundError


def test_a_commit_gets_its_trailers_and_never_fails(home: Path, tmp_path: Path) -> None:
    work = tmp_path / "a work"
    work.mkdir()
    git(work, "init", "-q")
    path = git_hook.hook_path(work)
    assert git_hook.install(path)
    assert not git_hook.install(path)
    (work / "a").write_text("1\n")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "without a launcher")
    launcher().parent.mkdir(parents=True)
    launcher().write_text("#!/bin/sh\necho 'Dejavu-Conversation: abc (claude, 1 of 1 lines)'\n")
    launcher().chmod(0o755)
    git(work, "commit", "-qm", "with one", "--allow-empty")
    assert git(work, "log", "-1", "--format=%(trailers)").startswith(
        "Dejavu-Conversation: abc (claude"
    )
    assert git_hook.remove(path)
    assert not git_hook.remove(path)


def test_others_hooks_stay(home: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        git_hook.hook_path(tmp_path)
    git(tmp_path, "init", "-q")
    path = git_hook.hook_path(tmp_path)
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n")
    with pytest.raises(ConfigError):
        git_hook.install(path)
    assert not git_hook.remove(path)
    git(tmp_path, "config", "core.hooksPath", "elsewhere")
    with pytest.raises(ConfigError):
        git_hook.hook_path(tmp_path)
