"""`dejavu at` prints a moment, for people and for programs."""

import json
import time
from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result
from tests.factories.edits import START, Script

from dejavu.archive import Archive
from dejavu.config.paths import archive_location
from dejavu.model import to_iso


def test_a_moment(home: object, dejavu: Callable[..., Result]) -> None:
    script = Script("one", "/w")
    script.user("write it")
    script.call("Write", {"file_path": "/w/a", "content": "x\n"})
    script.says("written")
    with Archive.open(archive_location()) as archive:
        archive.put(script.conversation())
    when = str(to_iso(START + 35))
    shown = dejavu("at", when, "last", "--json").json
    (one,) = shown["conversations"]
    assert [turn["seq"] for turn in one["turns"]] == [0, 1, 2]
    assert (one["state"], one["open_calls"]) == ("working", [])
    assert [(file["path"], file["certain"]) for file in one["files"]] == [("/w/a", False)]
    text = dejavu("at", when, "/w").out
    assert "turns 1 to 3 of 4; all still in the model's context" in text
    assert "last prompt: write it" in text
    assert "written" not in text
    day, clock = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(START + 35)).split()
    for words in ((f"{day} {clock}",), (day, clock), (day, clock, "last"), (day, clock, "/w")):
        assert "turns 1 to 3 of 4" in dejavu("at", *words).out
    assert "name one conversation or folder" in dejavu("at", day, clock, "last", "/w").err
    early = dejavu("at", "2020-01-01")
    assert (early.code, "at 2020-01-01 00:00" in early.err) == (3, True)
    assert dejavu("at", "nonsense").code == 2


def test_the_screen_of_a_recording(
    home: Path, dejavu: Callable[..., Result], tmp_path: Path
) -> None:
    script = Script("one", "/w")
    script.user("write it")
    script.says("written")
    with Archive.open(archive_location()) as archive:
        archive.put(script.conversation())
    cast = tmp_path / "a.cast"
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    lines = [
        {"version": 2, "width": 60, "height": 4, "timestamp": int(START)},
        [1.0, "o", "first\r\n"],
        [20.0, "o", f"key {key[:40]}\r\n"],
        [60.0, "o", "\x1b[2Jafterwards"],
    ]
    cast.write_text("".join(json.dumps(one) + "\n" for one in lines))
    when = str(to_iso(START + 35))
    shown = dejavu("at", when, "last", "--recording", str(cast), "--json").json["screen"]
    assert (shown["columns"], shown["rows"][0].strip()) == (60, "first")
    assert key[:40] not in json.dumps(shown)
    text = dejavu("at", when, "last", "--recording", str(cast)).out
    assert "The screen showed:\nfirst" in text
    assert "afterwards" not in text
    for moment, code in (("2020-01-01", 3), (str(to_iso(START + 4000)), 3)):
        assert dejavu("at", moment, "last", "--recording", str(cast)).code == code
    done = dejavu("at", when, "last", "--recording", str(tmp_path / "none"))
    assert (done.code, "No such file" in done.err) == (2, True)
    (tmp_path / "raw").write_bytes(b"bytes")
    assert dejavu("at", when, "last", "--recording", str(tmp_path / "raw")).code == 2
    cast.write_text(cast.read_text().replace('[20.0, "o"', '[20.0; "o"'))
    done = dejavu("at", when, "last", "--recording", str(cast))
    assert (done.code, "a.cast" in done.err, "line 3" in done.err) == (0, True, True)
