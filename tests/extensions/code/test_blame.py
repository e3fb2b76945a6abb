import json
import os
from pathlib import Path

import pytest
from tests.factories.edits import HUMAN, LONG, OTHER, START, Script, git

from dejavu.archive import Archive
from dejavu.extensions.code.agent_trace import evidence, trace_record
from dejavu.extensions.code.blame import blame_file
from dejavu.extensions.code.commits import commit_shares
from dejavu.extensions.code.git import Repository
from dejavu.extensions.code.index import EditIndex
from dejavu.model import NotFoundError


def _blamed(archive: Archive, path: Path) -> list[tuple[str, int | None, bool]]:
    with EditIndex(archive) as index:
        index.catch_up()
        blame = blame_file(index, path)
    return [
        (
            line.text,
            None if line.attribution.edit is None else line.attribution.edit.seq,
            line.attribution.certain,
        )
        for line in blame.lines
    ]


def _history(work: Path, archive: Archive) -> tuple[Path, int]:
    """A person's line is committed; an agent adds two around it."""
    path = work / "src" / "orders.py"
    path.parent.mkdir()
    path.write_text(f"{HUMAN}\n")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "first", at=START)
    script = Script("one", work)
    script.user("sum the orders\nand say it")
    seq = script.edit(path, HUMAN, f"{LONG}\n{HUMAN}\n{OTHER}")
    path.write_text(f"{LONG}\n{HUMAN}\n{OTHER}\n")
    archive.put(script.conversation())
    return path, seq


def test_each_line_has_its_turn_before_and_after_the_commit(work: Path, archive: Archive) -> None:
    path, seq = _history(work, archive)
    expected = [(LONG, seq, True), (HUMAN, None, True), (OTHER, seq, True)]
    assert _blamed(archive, path) == expected
    git(work, "commit", "-qam", "second", at=START + 100)
    assert _blamed(archive, path) == expected


def test_renames_line_ends_and_indentation_change_nothing(work: Path, archive: Archive) -> None:
    path, seq = _history(work, archive)
    git(work, "commit", "-qam", "second", at=START + 100)
    (work / "lib").mkdir()
    git(work, "mv", "src/orders.py", "lib/order list.py")
    git(work, "commit", "-qm", "moved", at=START + 200)
    path = work / "lib" / "order list.py"
    path.write_bytes(f"    {LONG}\r\n  {HUMAN}\r\n\t{OTHER}\r\n".encode())
    assert [came for _, *came in _blamed(archive, path)] == [[seq, True], [None, True], [seq, True]]
    link = work / "link.py"
    link.symlink_to(path)
    assert [seq for _, seq, _ in _blamed(archive, link)] == [seq, None, seq]


def test_what_went_and_came_again_is_not_certain(work: Path, archive: Archive) -> None:
    path, seq = _history(work, archive)
    git(work, "commit", "-qam", "second", at=START + 100)
    path.write_text(f"{HUMAN}\n{OTHER}\n")
    git(work, "commit", "-qam", "out", at=START + 200)
    path.write_text(f"{HUMAN}\n{OTHER}\n# by hand\n{LONG}\n")
    git(work, "commit", "-qam", "in", at=START + 300)
    assert _blamed(archive, path)[-1] == (LONG, seq, False)


def test_a_brace_is_whose_its_neighbours_are(work: Path, archive: Archive) -> None:
    path = work / "a.c"
    path.write_text("}\n")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "first", at=START)
    script = Script("one", work)
    seq = script.edit(path, "}", f"}}\n{LONG}\n}}\n{OTHER}")
    path.write_text(f"}}\n{LONG}\n}}\n{OTHER}\n")
    archive.put(script.conversation())
    assert _blamed(archive, path)[1:] == [(LONG, seq, True), ("}", seq, True), (OTHER, seq, True)]
    assert _blamed(archive, path)[0][1:] != (seq, True)


def test_the_short_lines_of_a_file_an_agent_wrote_and_edited_are_certain(
    work: Path, archive: Archive
) -> None:
    path = work / "orders.py"
    first = '"""Orders."""\n\n\ndef average(prices):\n    return sum(prices) / len(prices)\n'
    script = Script("one", work)
    script.user("write it")
    wrote = script.call("Write", {"file_path": str(path), "content": first})
    guard = "    if not prices:\n        raise ValueError('division by zero')\n"
    last = "    return sum(prices) / len(prices)\n"
    edited = script.edit(path, last, guard + last)
    archive.put(script.conversation())
    path.write_text(first.replace(last, guard + last))
    git(work, "add", "-A")
    git(work, "commit", "-qm", "orders", at=START + 100)
    came = [(seq, certain) for text, seq, certain in _blamed(archive, path) if text.strip()]
    assert came == [(wrote, True)] * 2 + [(edited, True)] * 2 + [(wrote, True)]
    path.write_text(path.read_text().replace("if not prices:", "if prices is None:"))
    by_hand = {text.strip(): certain for text, _, certain in _blamed(archive, path)}
    assert not by_hand["if prices is None:"]
    assert not by_hand["def average(prices):"]  # a person wrote next to it


def test_without_git_and_under_a_moved_name(tmp_path: Path, archive: Archive) -> None:
    script = Script("one", tmp_path)
    seq = script.call("Write", {"file_path": "old.txt", "content": f"{LONG}\n"})
    script.run("mv old.txt new.txt")
    archive.put(script.conversation())
    path = tmp_path / "new.txt"
    path.write_text(f"{LONG}\n")
    assert _blamed(archive, path) == [(LONG, seq, True)]


@pytest.mark.parametrize("content", [b"", b"\xff\xfea\0b\0", b"\xe9\n\xff", b"x" * 100_000])
def test_odd_content_is_read(tmp_path: Path, archive: Archive, content: bytes) -> None:
    path = tmp_path / "odd\n name \udcff"
    path.write_bytes(content)
    _blamed(archive, path)


def test_binary_missing_and_folders_are_refused(tmp_path: Path, archive: Archive) -> None:
    (tmp_path / "b").write_bytes(b"\0\1")
    os.mkfifo(tmp_path / "pipe")
    for name in ("b", "nothing", ".", "pipe", "nul\0"):
        with pytest.raises(NotFoundError):
            _blamed(archive, tmp_path / name)


def test_a_hostile_repository_starts_no_program(work: Path, archive: Archive) -> None:
    path, seq = _history(work, archive)
    (work / ".gitattributes").write_text("* diff=evil filter=evil\n")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "second", at=START + 100)
    mark = work / "RAN"
    evil = f"touch {mark}; cat"
    for name in ("diff.evil.textconv", "diff.evil.command", "diff.external", "filter.evil.clean",
                 "filter.evil.smudge", "filter.evil.process", "core.fsmonitor", "core.pager",
                 "core.sshCommand", "gpg.program", "core.editor"):  # fmt: skip
        git(work, "config", name, evil)
    git(work, "config", "log.showSignature", "true")
    git(work, "config", "blame.ignoreRevsFile", "nowhere")
    hooks = work / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "reference-transaction", "pre-auto-gc"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (hooks / name).chmod(0o755)
    assert [seq_ for _, seq_, _ in _blamed(archive, path)] == [seq, None, seq]
    with EditIndex(archive) as index:
        shares = commit_shares(index, Repository(str(work)), "HEAD")
    assert shares.shares[0].lines == 2
    assert not mark.exists()


def test_a_commit_and_what_is_staged_come_from_conversations(work: Path, archive: Archive) -> None:
    _, seq = _history(work, archive)
    (work / "bin").write_bytes(b"\0")
    git(work, "add", "-A")
    with EditIndex(archive) as index:
        index.catch_up()
        staged = commit_shares(index, Repository(str(work)), None)
        git(work, "commit", "-qm", "second", at=START + 100)
        committed = commit_shares(index, Repository(str(work)), "HEAD")
        assert [(s.lines, s.turns) for s in staged.shares] == [(2, (seq,))]
        assert committed.shares == staged.shares
        assert (committed.lines, committed.others) == (2, 0)
        first = commit_shares(index, Repository(str(work)), "HEAD~1")
        assert (first.lines, first.others, first.shares) == (1, 1, ())
        for revision in ("nothing", "--output=x", "HEAD\n"):
            with pytest.raises(NotFoundError):
                commit_shares(index, Repository(str(work)), revision)


def test_agent_trace_is_written_and_read(work: Path, archive: Archive) -> None:
    path, seq = _history(work, archive)
    git(work, "commit", "-qam", "second", at=START + 100)
    with EditIndex(archive) as index:
        index.catch_up()
        blame = blame_file(index, path)
        record = trace_record(archive, blame)
        assert record["files"][0]["path"] == "src/orders.py"
        [conversation] = record["files"][0]["conversations"]
        assert conversation["url"].endswith(f"#{seq + 1}")
        assert conversation["contributor"] == {"type": "ai", "model_id": "anthropic/claude-x"}
        ranges = [(one["start_line"], one["end_line"]) for one in conversation["ranges"]]
        assert ranges == [(1, 1), (3, 3)]
        folder = work / ".agent-trace"
        folder.mkdir()
        conversation["ranges"] = [{"start_line": 2, "end_line": 2}]

        junk = '{"files": 3}\n[[[[\n{"vcs": {"revision": "--help"}, "files": [{"path": "src/orders.py"}]}\n'
        (folder / "traces.jsonl").write_text(junk + json.dumps(record) + "\n")
        path.write_text("\n\n" + path.read_text())
        told = evidence(blame_file(index, path))
        assert {number: one.tool for number, one in told.items()} == {4: "dejavu"}


def _twice(work: Path, archive: Archive) -> tuple[Path, Path, list[str]]:
    """Two conversations write the same text into two files, each committed by itself."""
    text = "import time\n\n" + f"def retry(n):\n    {LONG}\n    {OTHER}\n    return n\n"
    ids: list[str] = []
    paths = work / "f1.py", work / "f2.py"
    for number, path in enumerate(paths):
        script = Script(f"s{number}", work, at=START + 1000 * number)
        script.user(f"write {path.name}")
        script.call("Write", {"file_path": str(path), "content": text})
        archive.put(script.conversation())
        ids.append(script.id)
        path.write_text(text)
        git(work, "add", "-A")
        git(work, "commit", "-qm", f"add {path.name}", at=START + 1000 * number + 100)
    return *paths, ids


def test_the_same_text_in_another_file_is_its_own_writers(work: Path, archive: Archive) -> None:
    *paths, ids = _twice(work, archive)
    with EditIndex(archive) as index:
        index.catch_up()
        for path, wanted in zip(paths, ids, strict=True):
            owners = [line.attribution.edit for line in blame_file(index, path).lines]
            assert [edit and edit.conversation for edit in owners] == [wanted] * 6
        repository = Repository.of(work)
        assert repository is not None
        shares = commit_shares(index, repository, "HEAD")
        assert [share.conversation for share in shares.shares] == [ids[1]]


def test_a_copy_by_hand_is_never_certain(work: Path, archive: Archive) -> None:
    path, seq = _history(work, archive)
    git(work, "commit", "-qam", "second", at=START + 100)
    copy = path.with_name("copy.py")
    copy.write_text(path.read_text())
    git(work, "add", "-A")
    git(work, "commit", "-qm", "copied", at=START + 2000)
    assert [came for _, *came in _blamed(archive, copy)] == [
        [seq, False], [None, False], [seq, False],
    ]  # fmt: skip
