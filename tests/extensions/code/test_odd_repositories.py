"""Repositories and files that are not the usual ones: answered rightly, or said what cannot be."""

import time
from pathlib import Path

import pytest
from tests.factories.edits import HUMAN, LONG, OTHER, START, Script, git

from dejavu.archive import Archive
from dejavu.extensions.code.blame import blame_file
from dejavu.extensions.code.commits import commit_shares
from dejavu.extensions.code.git import Repository
from dejavu.extensions.code.index import EditIndex
from dejavu.extensions.code.recover import recover
from dejavu.model import NotFoundError


def history(work: Path, archive: Archive, index: EditIndex) -> Path:
    """A person's line is committed, an agent adds two around it, and that is committed."""
    path = work / "src" / "orders.py"
    path.parent.mkdir()
    path.write_text(f"{HUMAN}\n")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "first", at=START)
    script = Script("one", work)
    script.user("sum the orders")
    script.edit(path, HUMAN, f"{LONG}\n{HUMAN}\n{OTHER}")
    path.write_text(f"{LONG}\n{HUMAN}\n{OTHER}\n")
    archive.put(script.conversation())
    git(work, "add", "-A")
    git(work, "commit", "-qm", "second", at=START + 100)
    index.catch_up()
    return path


def owners(index: EditIndex, path: Path) -> list[tuple[bool, bool]]:
    """Of each line: whether it is an agent's, and whether that is certain."""
    lines = blame_file(index, path).lines
    return [(line.attribution.edit is not None, line.attribution.certain) for line in lines]


AGENTS_PERSONS_AGENTS = [(True, True), (False, True), (True, True)]


def test_a_bare_repository_knows_its_commits(
    work: Path, archive: Archive, index: EditIndex, tmp_path: Path
) -> None:
    history(work, archive, index)
    git(tmp_path, "clone", "-q", "--bare", str(work), str(tmp_path / "bare.git"))
    bare = Repository.of(tmp_path / "bare.git", bare=True)
    assert bare is not None
    shares = commit_shares(index, bare, "HEAD")
    assert (shares.lines, shares.others, shares.shares[0].lines) == (2, 0, 2)
    assert Repository.of(tmp_path / "bare.git") is None
    assert owners(index, tmp_path / "bare.git" / "HEAD") == [(False, True)]


def test_a_worktree_and_a_detached_head(
    work: Path, archive: Archive, index: EditIndex, tmp_path: Path
) -> None:
    history(work, archive, index)
    git(work, "worktree", "add", "-q", "--detach", str(tmp_path / "other"))
    assert owners(index, tmp_path / "other" / "src" / "orders.py") == AGENTS_PERSONS_AGENTS
    repository = Repository.of(tmp_path / "other")
    assert repository is not None
    assert commit_shares(index, repository, "HEAD").others == 0


def test_a_submodule_is_a_repository_of_its_own(
    work: Path, archive: Archive, index: EditIndex, tmp_path: Path
) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "main")
    path = history(work, archive, index)
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(work), "inner")
    git(outer, "commit", "-qm", "with a submodule", at=START + 200)
    assert owners(index, outer / "inner" / "src" / "orders.py") == AGENTS_PERSONS_AGENTS
    repository = Repository.of(outer)
    assert repository is not None
    shares = commit_shares(index, repository, "HEAD")
    assert shares.lines == 3  # of .gitmodules; the submodule's commit is no line of text
    assert path.exists()


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_before_the_first_commit(
    archive: Archive, index: EditIndex, tmp_path: Path, form: str
) -> None:
    work = tmp_path / "new"
    work.mkdir()
    git(work, "init", "-q", "-b", "main", f"--object-format={form}")
    script = Script("one", work)
    script.user("sum")
    script.call("Write", {"file_path": str(work / "a.py"), "content": f"{LONG}\n{OTHER}\n"})
    archive.put(script.conversation())
    (work / "a.py").write_text(f"{LONG}\n{OTHER}\n")
    git(work, "add", "-A")
    index.catch_up()
    assert owners(index, work / "a.py") == [(True, True)] * 2
    repository = Repository.of(work)
    assert repository is not None
    assert commit_shares(index, repository, None).shares[0].lines == 2
    with pytest.raises(NotFoundError):
        commit_shares(index, repository, "HEAD")
    git(work, "commit", "-qm", "first", at=START + 100)
    assert commit_shares(index, repository, "HEAD").shares[0].lines == 2


def test_a_shallow_clone_is_sure_of_nothing_older(
    work: Path, archive: Archive, index: EditIndex, tmp_path: Path
) -> None:
    history(work, archive, index)
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{work}", str(tmp_path / "shallow"))
    lines = blame_file(index, tmp_path / "shallow" / "src" / "orders.py").lines
    assert [line.attribution.edit is not None for line in lines] == [True, False, True]
    assert not any(line.attribution.certain for line in lines)
    assert all("shallow" in line.attribution.reason for line in lines)


@pytest.mark.parametrize("how", ["mv", "git mv", "committed"])
def test_a_folder_that_was_renamed(
    work: Path, archive: Archive, index: EditIndex, how: str
) -> None:
    history(work, archive, index)
    if how == "mv":
        (work / "src").rename(work / "lib")
    else:
        git(work, "mv", "src", "lib")
    if how == "committed":
        git(work, "commit", "-qm", "rename", at=START + 200)
    found = owners(index, work / "lib" / "orders.py")
    if how == "committed":
        assert found == AGENTS_PERSONS_AGENTS
    else:
        assert [agents for agents, _ in found] == [True, False, True]


def test_links_lead_to_the_file(
    work: Path, archive: Archive, index: EditIndex, tmp_path: Path
) -> None:
    path = history(work, archive, index)
    (tmp_path / "file.py").symlink_to(path)
    (tmp_path / "folder").symlink_to(path.parent)
    for link in (tmp_path / "file.py", tmp_path / "folder" / "orders.py"):
        assert owners(index, link) == AGENTS_PERSONS_AGENTS
    (tmp_path / "broken").symlink_to(tmp_path / "nothing")
    (tmp_path / "round").symlink_to(tmp_path / "round")
    for link in (tmp_path / "broken", tmp_path / "round"):
        with pytest.raises(NotFoundError):
            blame_file(index, link)
    (work / "link.py").symlink_to("src/orders.py")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "a link", at=START + 300)
    repository = Repository.of(work)
    assert repository is not None
    assert commit_shares(index, repository, "HEAD").lines == 0  # a link has no lines


@pytest.mark.parametrize("coding", ["utf-8", "utf-16", "latin-1"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_codings_and_line_ends(
    work: Path, archive: Archive, index: EditIndex, coding: str, ending: str
) -> None:
    text = f"{LONG}  # größer\n{OTHER}\n"
    script = Script("one", work)
    script.user("sum")
    script.call("Write", {"file_path": str(work / "ä b.py"), "content": text})
    archive.put(script.conversation())
    (work / "ä b.py").write_bytes(text.replace("\n", ending).encode(coding))
    index.catch_up()
    git(work, "add", "-A")
    git(work, "commit", "-qm", "first", at=START + 100)
    found = owners(index, work / "ä b.py")
    assert found[1] == (True, True)
    if coding != "latin-1":
        assert found[0] == (True, True)
    assert not (found[0][1] and not found[0][0])  # never a person's for certain
    with pytest.raises(NotFoundError):
        recover(archive, index, [str(work / "nothing.py")], at=START, turn=None)
    whole = recover(archive, index, [str(work / "ä b.py")], at=START + 50, turn=None)
    assert whole.text == text


def test_a_binary_among_the_files_of_a_commit(
    work: Path, archive: Archive, index: EditIndex
) -> None:
    history(work, archive, index)
    (work / "picture.png").write_bytes(bytes(range(256)) * 40)
    git(work, "add", "-A")
    git(work, "commit", "-qm", "a picture", at=START + 300)
    repository = Repository.of(work)
    assert repository is not None
    assert commit_shares(index, repository, "HEAD").lines == 0
    with pytest.raises(NotFoundError, match="no text"):
        blame_file(index, work / "picture.png")


def test_a_hundred_thousand_lines(work: Path, archive: Archive, index: EditIndex) -> None:
    rows = [f"value_{n} = compute_{n * 7919}(argument)" for n in range(100_000)]
    path = work / "big.py"
    path.write_text("\n".join(rows) + "\n")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "first", at=START)
    script = Script("one", work)
    script.user("change it")
    for n in range(0, 100_000, 10_000):
        script.edit(path, rows[n], f"agents_{n} = {LONG}")
        rows[n] = f"agents_{n} = {LONG}"
    archive.put(script.conversation())
    path.write_text("\n".join(rows) + "\n")
    index.catch_up()
    began = time.process_time()
    found = owners(index, path)
    assert time.process_time() - began < 20  # bounded, not measured
    assert sum(agents for agents, _ in found) == 10
