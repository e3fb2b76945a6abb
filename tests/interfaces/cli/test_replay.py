import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result


def _cast(path: Path, *events: tuple[float, str, str], title: str = "demo") -> Path:
    head = {"version": 2, "width": 60, "height": 12, "title": title}
    path.write_text("\n".join(json.dumps(row) for row in (head, *events)) + "\n")
    return path


def test_contract_shape(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    cast = _cast(tmp_path / "a.cast", (0.1, "o", "hello\r\n"), (0.5, "r", "70x20"))
    shown = dejavu("replay", str(cast), "--agent", "demo", "--json").json
    assert set(shown) >= {"agent", "columns", "lines", "status", "turns", "history", "gaps"}
    assert (shown["agent"], shown["columns"], shown["lines"]) == ("demo", 70, 20)
    assert shown["status"][-1]["state"] == "exited"


@pytest.mark.fault("33.H2")
def test_a_pipe_is_refused_and_not_waited_for(
    dejavu: Callable[..., Result], tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    result = dejavu("replay", str(tmp_path / "pipe"))
    assert result.code == 2
    assert "a recording is read twice: save it in a file first" in result.err


def test_a_bad_line_is_named_and_the_rest_is_read(
    dejavu: Callable[..., Result], tmp_path: Path
) -> None:
    cast = _cast(tmp_path / "a.cast", (0.1, "o", "x"))
    cast.write_text(cast.read_text() + "[1.0, broken\n" + '[2.0, "o", "y"]\n')
    result = dejavu("replay", str(cast), "--json")
    assert result.code == 0
    assert "line 3" in result.err


def test_raw_bytes_need_no_header(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.write_bytes(b"\x1b[1mhi\x1b[m\xff\r\n" * 50)
    shown = dejavu("replay", str(raw), "--size", "40x10", "--json").json
    assert (shown["columns"], shown["lines"], shown["history"]) == (40, 10, 41)


@pytest.mark.parametrize("size", ["x", "0x5", "80x", "-1x3"])
def test_bad_sizes_are_usage_errors(
    dejavu: Callable[..., Result], tmp_path: Path, size: str
) -> None:
    cast = _cast(tmp_path / "a.cast")
    assert dejavu("replay", str(cast), f"--size={size}").code == 2


def test_a_missing_file_is_a_usage_error(dejavu: Callable[..., Result]) -> None:
    assert dejavu("replay", "nowhere.cast").code == 2


def test_a_film_is_written_and_replaced(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    cast = _cast(tmp_path / "a.cast", (0.1, "o", "one"), (30.0, "o", " two"))
    for name in ("svg", "gif"):
        if name == "gif":
            pytest.importorskip("PIL", reason="needs Pillow (the extra `pictures`)")
        out = tmp_path / f"a.{name}"
        for _ in range(2):
            result = dejavu("replay", str(cast), f"--{name}", str(out), "--idle", "1.5")
            assert (result.code, result.out) == (0, "")
            assert f"4.5 s: {out}" in result.err
        assert out.stat().st_mode & 0o777 == 0o600
    assert ">one two</text>" in (tmp_path / "a.svg").read_text()
    assert dejavu("replay", str(cast), "--svg", "x", "--frames").code == 2


def test_a_long_film_is_cut_and_says_so(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    cast = _cast(tmp_path / "a.cast", *((float(n), "o", f"{n} ") for n in range(9)))
    result = dejavu("replay", str(cast), "--svg", str(tmp_path / "a.svg"), "--limit", "3")
    assert "stopped after 3 frames" in result.err


@pytest.mark.shared
def test_all_seven_prompts_of_the_tour_in_order(
    dejavu: Callable[..., Result], shared: Path
) -> None:
    run = shared / "data" / "recordings" / "claude" / "tour-120x40"
    shown = dejavu("replay", str(run / "session.cast"), "--agent", "claude", "--json").json
    prompts = [turn["parts"][0]["content"] for turn in shown["turns"] if turn["role"] == "user"]
    truth = json.loads((run / "truth.json").read_text())
    assert prompts == [turn["user"] for turn in truth["turns"]]


def test_frames_are_printed_with_their_time_and_state(
    dejavu: Callable[..., Result], tmp_path: Path
) -> None:
    cast = _cast(
        tmp_path / "a.cast", (1.0, "o", "one\x1b[31m \x1b]0;t\x07"), (2.0, "o", "\r\n two")
    )
    shown = dejavu("replay", str(cast), "--frames")
    assert shown.code == 0
    assert [row for row in shown.out.splitlines() if row.startswith("frame")] == [
        "frame 1 · 1.03s · unknown by none · 60x12",
        "frame 2 · 2.03s · unknown by none · 60x12",
    ]
    assert "one\n two\n" in shown.out
    assert "\x1b" not in shown.out


def test_frames_for_machines_and_their_limit(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    cast = _cast(tmp_path / "a.cast", *((float(n), "o", str(n)) for n in range(1, 6)))
    lines = dejavu("replay", str(cast), "--frames", "--jsonl").out.splitlines()
    frames = [json.loads(line) for line in lines]
    assert [(frame["frame"], frame["offset"]) for frame in frames] == [(n, n) for n in range(1, 6)]
    assert set(frames[0]) >= {"at", "state", "rule", "columns", "lines", "cursor", "rows"}
    assert frames[4]["rows"][0] == "12345"
    cut = dejavu("replay", str(cast), "--frames", "--json", "--limit", "2")
    assert cut.json["frames"] == frames[:2]
    assert "stopped after 2 frames" in cut.err


@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")
def test_a_difference_is_named_and_fails(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    equal = _cast(tmp_path / "a.cast", (1.0, "o", "one\r\n\x1b[31mtwo"), (2.0, "r", "70x9"))
    same = dejavu("replay", str(equal), "--diff-against", "tmux")
    assert (same.code, same.out) == (0, "no difference: 3 frames compared with tmux\n")
    # ESC k names a window in tmux; to any other terminal the name is text.
    other = _cast(tmp_path / "b.cast", (1.0, "o", "x\r\n\x1bkname\x1b\\text"))
    differs = dejavu("replay", str(other), "--diff-against", "tmux", "--json")
    assert differs.code == 1
    assert differs.json["equal"] is False
    assert differs.json["difference"]["row"] == 1
    text = dejavu("replay", str(other), "--diff-against", "tmux")
    assert text.out.startswith("frame 1 differs in row 1 ")
    assert "  dejavu   |nametext|\n  tmux     |text|\n" in text.out


@pytest.mark.parametrize(
    "options", [["--frames", "--diff-against", "tmux"], ["--jsonl"], ["--diff-against", "kitty"]]
)
def test_options_that_make_no_sense_together(
    dejavu: Callable[..., Result], tmp_path: Path, options: list[str]
) -> None:
    assert dejavu("replay", str(_cast(tmp_path / "a.cast")), *options).code == 2


def test_an_agent_nobody_knows_is_refused(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    cast = _cast(tmp_path / "a.cast", (0.1, "o", "hello"))
    for command in ("replay", "explain"):
        refused = dejavu(command, str(cast), "--agent", "cluade")
        assert refused.code == 2
        assert "--agent: unknown agent 'cluade'; did you mean 'claude'?" in refused.err
        for known in ("auto", "generic", "claude"):
            assert dejavu(command, str(cast), "--agent", known).code == 0


def test_a_gif_without_its_library_leaves_no_file(
    dejavu: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast = _cast(tmp_path / "a.cast", (0.1, "o", "hello"))
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.delitem(sys.modules, "dejavu.export.replay.gif", raising=False)
    refused = dejavu("replay", str(cast), "--gif", str(tmp_path / "a.gif"))
    assert (refused.code, "pictures" in refused.err) == (2, True)
    assert not (tmp_path / "a.gif").exists()
