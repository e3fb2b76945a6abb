import pytest
from tests.factories.edits import Script

from dejavu.archive import Archive
from dejavu.extensions.code.index import EditIndex
from dejavu.extensions.code.recover import Recovered, recover
from dejavu.model import NotFoundError


def _recovered(
    archive: Archive, at: float | None, turn: tuple[str, int] | None = None
) -> Recovered:
    with EditIndex(archive) as index:
        index.catch_up()
        return recover(archive, index, ["/w/a"], at=at, turn=turn)


def test_a_written_file_and_the_changes_after_it(archive: Archive) -> None:
    script = Script("one", "/w")
    script.call("Write", {"file_path": "/w/a", "content": "one\ntwo\n"})
    middle = script.at
    seq = script.edit("/w/a", "two", "three\nfour")
    script.edit("/w/a", "four", "five")
    archive.put(script.conversation())
    assert _recovered(archive, None, (script.id, seq)).text == "one\ntwo\n"
    assert _recovered(archive, middle).text == "one\ntwo\n"
    assert _recovered(archive, script.at).text == "one\nthree\nfive\n"
    with pytest.raises(NotFoundError):
        _recovered(archive, None, (script.id, 99))


def test_what_was_read_and_what_does_not_fit(archive: Archive) -> None:
    script = Script("one", "/w")
    script.call("Read", {"file_path": "/w/a"}, "     1→alpha\n     2→beta")
    seq = script.edit("/w/a", "beta", "gamma")
    archive.put(script.conversation())
    assert _recovered(archive, None, (script.id, seq))[:2] == ("alpha\nbeta\n", True)
    later = script.edit("/w/a", "nobody knows", "delta")
    last = script.edit("/w/a", "delta", "epsilon")
    archive.put(script.conversation())
    found = _recovered(archive, None, (script.id, last))
    assert (found.text, found.whole) == ("delta\n", False)
    assert f"#{later + 1}" in found.reason


def test_a_whole_content_far_back_is_found(archive: Archive) -> None:
    script = Script("one", "/w")
    script.call("Write", {"file_path": "/w/a", "content": "0\n"})
    for number in range(90):
        script.edit("/w/a", str(number), str(number + 1))
    archive.put(script.conversation())
    with EditIndex(archive) as index:
        index.catch_up()
        found = recover(archive, index, ["/w/a"], at=script.at + 1, turn=None)
    assert (found.text, found.whole) == ("90\n", True)
