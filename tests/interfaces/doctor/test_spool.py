import os
import time
from pathlib import Path

import pytest

from dejavu.interfaces.doctor.capture import daemon_log, spool
from dejavu.interfaces.doctor.finding import Severity
from dejavu.services.hook_protocol import folder


@pytest.fixture
def place(home: Path) -> Path:
    place = Path(folder())
    assert place.is_relative_to(home)
    for name in ("spool", "refused"):
        (place / name).mkdir(parents=True)
    return place


def test_nothing_where_no_hook_ever_called(home: Path) -> None:
    assert list(spool()) == []
    assert list(daemon_log()) == []


def test_letters_that_wait_long_are_noted(place: Path) -> None:
    (place / "spool" / "1").touch()
    (place / "spool" / ".half").touch()
    (found,) = spool()
    assert (found.severity, found.facts["waiting"]) == (Severity.OK, 1)
    hour_ago = time.time() - 3600
    os.utime(place / "spool" / "1", (hour_ago, hour_ago))
    (found,) = spool()
    assert (found.severity, found.message) == (Severity.WARNING, "1 waiting, the oldest for 60 min")
    assert "dejavu daemon" in found.fix


def test_refused_letters_are_told(place: Path) -> None:
    (place / "refused" / "1").touch()
    _, found = spool()
    assert (found.severity, found.facts) == (Severity.WARNING, {"refused": 1})


def test_the_end_of_the_daemons_log(place: Path) -> None:
    log = place / "daemon.log"
    log.write_text("begun\n")
    (found,) = daemon_log()
    assert (found.severity, found.facts["tail"]) == (Severity.OK, ["begun"])
    log.write_text("x\n" * 50_000 + "Traceback (most recent call last)\nlast\n")
    (found,) = daemon_log()
    assert (found.severity, found.facts["faults"]) == (Severity.WARNING, 1)
    assert found.facts["tail"][-1] == "last"
    assert len(found.facts["tail"]) == 5
