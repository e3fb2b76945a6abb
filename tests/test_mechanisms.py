"""Every mechanism has one home: what it is made of occurs nowhere else in the program."""

import re
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parent.parent
FOLDERS = ("archive", "capsule", "scrapers", "screen", "src/dejavu")

HOMES = {
    "a loop over the archive's log": (
        r"\bin (?:\w+\.)*_?archive\.log\(|next\((?:\w+\.)*_?archive\.log\(|\blog\.entries\b|\bin log\.pages\(",
        ("archive/derived.py",),
    ),
    "a filter of conversations": (
        r"^class \w*(Filters?|TextQuery|ExactQuery)\b",
        ("src/dejavu/model/conversation_filter.py",),
    ),
    "flock": (
        r"\bfcntl\.flock\b",
        ("src/dejavu/config/files.py",),
    ),
    "a Unix socket": (
        r"\bAF_UNIX\b",
        (
            "capsule/unix_socket.py",
            "capsule/peer_identity.py",  # asks a connection for its family
            "src/dejavu/client.py",  # one file that people copy into their own programs
            "src/dejavu/interfaces/hooks/capture.py",  # hooks start without pathlib
            "src/dejavu/interfaces/hooks/program.py",
        ),
    ),
    "a file that is replaced": (
        r"\b(os\.replace|scratch\.replace|temporary\.replace|fresh\.replace)\(",
        ("src/dejavu/config/files.py",),
    ),
    "what kind of archive a location names": (
        r"\"://\" (not )?in (?!value)",
        (
            "src/dejavu/config/paths.py",
            "src/dejavu/interfaces/hooks/inject.py",  # its fast way loads no pathlib
        ),
    ),
    "the distance of two words": (
        r"def \w*(distance|levenshtein)\(",
        ("src/dejavu/model/edit_distance.py",),
    ),
    "the name of a database's side file": (
        r"-(wal|shm|journal)\"",
        ("src/dejavu/providers/follow/stamp.py",),
    ),
    "a stamp of a session's file": (
        r"\bst_[mc]time_ns\b|\bst_ctime\b|def _mtime\(",
        (
            "src/dejavu/providers/follow/stamp.py",
            "src/dejavu/services/secrets/scan.py",  # of files that are no session's
            "src/dejavu/sessions/observer/observed_session.py",  # of our own state
            "src/dejavu/sessions/observer/server.py",  # of the program's files
            "src/dejavu/sessions/watch.py",  # of our own state
        ),
    ),
    "a walk over the strings of a JSON value": (
        r"def _?(leaves|strings|strings_in|map_strings|walk|scrub|texts_in)\(\w*: Any",
        (
            "src/dejavu/model/json_values.py",
            "src/dejavu/ingest/merge/parts.py",  # numbers count, and JSON inside of strings
            "src/dejavu/redact/conversation.py",  # each string with the name that it has
        ),
    ),
    "a hook's alarm, and the whole of its stdin and stdout": (
        r"^ *import _signal$|os\.write\(1, data\)|read\(0, 1 << 20\)|\bno_site\b",
        (
            "src/dejavu/interfaces/hooks/program.py",
            "src/dejavu/interfaces/hooks/capture.py",  # takes what came in time
        ),
    ),
    "fsync": (r"\bos\.fsync\b", ("src/dejavu/config/files.py",)),
}
"""What is looked for, and the files that may hold it."""

SAMPLES = {
    "a loop over the archive's log": "for entry in self._archive.log(0):",
    "a filter of conversations": "class TurnFilter:",
    "flock": "fcntl.flock(descriptor, fcntl.LOCK_EX)",
    "a Unix socket": "socket.socket(socket.AF_UNIX)",
    "a file that is replaced": "os.replace(fresh, path)",
    "what kind of archive a location names": 'if "://" in location:',
    "the distance of two words": "def edit_distance(one, other):",
    "the name of a database's side file": 'path.with_name(path.name + "-wal")',
    "a stamp of a session's file": "path.stat().st_mtime_ns",
    "a walk over the strings of a JSON value": "def strings_in(value: Any):",
    "a hook's alarm, and the whole of its stdin and stdout": "os.write(1, data)",
    "fsync": "os.fsync(descriptor)",
}
"""A line of a second home of each."""


@pytest.mark.parametrize("mechanism", HOMES)
def test_a_mechanism_has_one_home(mechanism: str) -> None:
    pattern, homes = HOMES[mechanism]
    found = {
        str(path.relative_to(REPO))
        for folder in FOLDERS
        for path in sorted((REPO / folder).rglob("*.py"))
        if re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert found <= set(homes), f"{mechanism}: use {homes[0]}"


@pytest.mark.parametrize("mechanism", HOMES)
def test_a_second_home_would_be_found(mechanism: str) -> None:
    assert re.search(HOMES[mechanism][0], SAMPLES[mechanism], re.MULTILINE)


def test_no_exception_outlives_its_reason() -> None:
    idle = [
        home
        for pattern, homes in HOMES.values()
        for home in homes[1:]
        if not re.search(pattern, (REPO / home).read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert not idle
