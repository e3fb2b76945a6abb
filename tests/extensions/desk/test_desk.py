"""`dejavu desk`: agents are killed with their wrapper or their tmux, and come back."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.lost_claude import lose_claude, program
from tests.factories.sessions import start as record
from tests.factories.waiting import until
from tests.services.undelete.test_undelete import SESSION, archive_home

from dejavu.archive import Archive
from dejavu.config.files import read_json, write_json
from dejavu.config.own_program import own_program
from dejavu.config.paths import archive_location
from dejavu.sessions import session_store
from dejavu.sessions.session_store import SessionView

_AGENT = """#!{python}
import sys, time
print("resumed with", *sys.argv[1:], flush=True)
time.sleep(120)
"""


@pytest.fixture
def claude(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An agent called `claude`, its conversation in the archive, and its id; its own files are gone."""
    identities = archive_home("claude", home)
    with Archive.open(archive_location()) as archive:
        (identity,) = (one for one in identities if archive.summary(one).native_id == SESSION)
    shutil.rmtree(home / ".claude")
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(_AGENT.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return identity


@pytest.fixture
def ended(home: Path) -> Iterator[None]:
    """Sessions that a test leaves are ended, by pid."""
    yield
    for view in session_store.find_all():
        if view.live and view.session.wrapper_pid != os.getpid():
            os.kill(view.session.wrapper_pid, signal.SIGTERM)


def session(name: str) -> SessionView:
    """The session `name`, once it runs and its observer has said where."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for view in session_store.find_all():
            if view.live and view.session.name == name and view.session.size:
                return view
        time.sleep(0.05)
    raise AssertionError(f"no session {name}")


def gone(view: SessionView) -> None:
    end = time.monotonic() + 30
    while session_store.with_liveness(view).live:
        assert time.monotonic() < end
        time.sleep(0.05)


def kill(view: SessionView) -> None:
    """What a machine that loses its power does: no process of the session has a last word."""
    load = session_store.load(view.folder)
    assert load is not None
    for pid in (
        (load.status.observer or (0,))[0],
        view.session.wrapper_pid,
        view.session.agent_pid or 0,
    ):
        assert pid
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    gone(view)


def test_a_killed_session_is_listed_and_starts_again(
    home: Path, dejavu: Callable[..., Result], tmp_path: Path, claude: str, ended: None
) -> None:
    words = own_program("dejavu.interfaces.run", "--detach", "--size", "90x20", "--name", "api")
    subprocess.run([*words, "claude"], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    first = session("api")
    assert dejavu("desk").out == ""  # it runs
    kill(first)
    (row,) = dejavu("desk", "--json").json["sessions"]
    assert (row["name"], row["reason"], row["command"]) == ("api", "crash", ["claude"])
    assert (row["size"], row["problem"]) == ("90x20", None)
    shown = dejavu("desk").out
    assert "ended without a word" in shown
    assert "starts fresh" in shown
    assert dejavu("desk", "restore").code == 2  # there is no terminal to ask on
    assert dejavu("desk", "restore", "-y").code == 0
    again = session("api")
    assert again.session.id != first.session.id
    assert again.session.workspace == str(tmp_path)
    assert again.session.size == "90x20"
    assert dejavu("desk", "--json").json["sessions"] == []


def test_a_conversation_is_put_back_and_resumed(
    home: Path, dejavu: Callable[..., Result], tmp_path: Path, claude: str, ended: None
) -> None:
    folder = record("20260101-000000-aaaa", "working", live=False, name="web", conversation=claude,
                    updated_at=time.time(), facts={"last_prompt": "mend the\x1b[2J pond"})  # fmt: skip
    (row,) = dejavu("desk", "--json").json["sessions"]
    assert "/work/pond is not here" in row["problem"]  # a folder of another machine
    done = dejavu("desk", "restore", "-y")
    assert (done.code, "cannot start" in done.out) == (1, True)
    assert "mend the pond" in done.out
    assert "\x1b" not in done.out
    assert not (folder / "restored").exists()


def test_what_the_agent_lost_is_back_before_it_starts(
    home: Path, dejavu: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    ended: None,
) -> None:  # fmt: skip
    monkeypatch.setenv("PATH", program(tmp_path / "bin", 'echo "$*" > "$0.said"\nexec sleep 60'))
    lost = lose_claude(home, tmp_path / "pond")
    record("20260101-000000-aaaa", "working", live=False, name="web", conversation=lost.identity,
           updated_at=time.time())  # fmt: skip
    assert "3 to put back first" in dejavu("desk").out
    done = dejavu("desk", "restore", "-y")
    assert (done.code, "started" in done.err) == (0, True)
    assert {path: path.read_bytes() for path in lost.files} == lost.files
    until((tmp_path / "bin" / "claude.said").exists)
    assert session("web").session.workspace == str(lost.work)
    assert dejavu("desk", "--json").json["sessions"] == []


def test_what_was_stopped_or_has_exited_is_not_on_the_desk(
    home: Path, dejavu: Callable[..., Result], tmp_path: Path
) -> None:
    now = time.time()
    record("20260101-000000-0001", "exited", live=False, exit_status=0, updated_at=now)
    stopped = record("20260101-000000-0002", "working", live=False, updated_at=now)
    session_store.touch(stopped, "stopped")
    record("20260101-000000-0003", "working", live=False, updated_at=now - 30 * 86400)
    asks = {"kind": "permission", "question": "Run rm -r build?", "choices": ["Yes", "No"]}
    hung = record(
        "20260101-000000-0004", "exited", live=False, exit_status=129, updated_at=now, blocked=asks
    )
    pane = record("20260101-000000-0005", "working", live=False, updated_at=now)
    write_json(pane / "session.json", {**read_json(pane / "session.json"), "source": "tmux:%1"})
    (row,) = dejavu("desk", "--json").json["sessions"]
    assert (row["id"], row["reason"]) == (hung.name, "hangup")
    assert row["blocked"] == asks
    assert "asked   Run rm -r build?" in dejavu("desk").out
    assert len(dejavu("desk", "--days", "60", "--json").json["sessions"]) == 2


def test_only_the_newest_session_of_a_conversation_counts(
    home: Path, dejavu: Callable[..., Result]
) -> None:
    now = time.time()
    for number in (1, 2):
        record(
            f"20260101-000000-000{number}", "idle", live=False, updated_at=now, conversation="c1"
        )
    assert len(_interrupted_ids()) == 1
    record("20260101-000000-0003", "idle", updated_at=now, conversation="c1")
    assert _interrupted_ids() == []


def _interrupted_ids() -> list[str]:
    from dejavu.extensions.desk.interrupted import interrupted

    return [one.view.session.id for one in interrupted(days=1, now=time.time())]


def test_what_was_saved_is_found_after_an_orderly_end(
    home: Path, dejavu: Callable[..., Result], tmp_path: Path, claude: str, ended: None
) -> None:
    words = own_program("dejavu.interfaces.run", "--detach", "--name", "docs")
    subprocess.run([*words, "claude"], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    first = session("docs")
    assert dejavu("desk", "save", "--json").json == {"saved": [first.session.id]}
    kill(first)
    shutil.rmtree(first.folder)  # its record was pruned since
    (row,) = dejavu("desk", "--json").json["sessions"]
    assert (row["name"], row["reason"]) == ("docs", "saved")
    assert dejavu("desk", "restore", "docs", "-y").code == 0
    assert session("docs").session.id != first.session.id
    assert dejavu("desk", "--json").json["sessions"] == []


def test_an_interpreter_alone_is_not_started_and_a_proof_is_no_session(
    home: Path, dejavu: Callable[..., Result]
) -> None:
    now = time.time()
    tool = record("20260101-000000-0001", "working", live=False, updated_at=now)
    header = {**read_json(tool / "session.json"), "agent": "mytool"}
    write_json(tool / "session.json", {**header, "argv": ["python3", "mytool.py"]})
    proof = record("20260101-000000-0002", "working", live=False, updated_at=now)
    argv = ["python3", "-m", "dejavu.interfaces.prove_tap", "log", "claude"]
    write_json(proof / "session.json", {**header, "id": proof.name, "argv": argv})
    (row,) = dejavu("desk", "--json").json["sessions"]
    assert (row["id"], row["problem"]) == (tool.name, "how mytool was started is not kept")


@pytest.mark.parametrize(
    "text", ["[1]", "{", '{"sessions": [7, {"session": {}}]}', '{"sessions": 3}']
)
def test_a_damaged_list_is_named_and_the_rest_is_shown(
    home: Path, dejavu: Callable[..., Result], text: str
) -> None:
    folder = record("20260101-000000-0001", "working", live=False, updated_at=time.time())
    (folder.parent.parent / "desk.json").write_text(text)
    done = dejavu("desk", "--json")
    assert [row["id"] for row in done.json["sessions"]] == [folder.name]
    assert "desk.json is damaged" in done.err


def test_nothing_that_runs_can_be_noted(home: Path, dejavu: Callable[..., Result]) -> None:
    assert dejavu("desk", "save", "--json").json == {"saved": []}
    assert "damaged" not in dejavu("desk").err


def test_names_and_actions_that_are_not_there(home: Path, dejavu: Callable[..., Result]) -> None:
    done = dejavu("desk", "restore", "nobody")
    assert (done.code, "no interrupted session is called nobody" in done.err) == (3, True)
    assert dejavu("desk", "clean").code == 2


_DRAWS = r"""#!{python}
import os, sys, time
rule = "\u2500" * 60
at = "half a thought, " + os.environ["WEATHER_API_KEY"]
sys.stdout.write("\x1b[?1049h\x1b[H\u25cf Done.\r\n\r\n" + rule + "\r\n\u276f " + at + "\r\n" + rule
                 + "\r\n  ? for shortcuts\x1b[4;60H")
sys.stdout.flush()
time.sleep(3)
sys.stdout.write(".\b")
sys.stdout.flush()
time.sleep(120)
"""


@pytest.mark.parametrize(("screen", "draft"), [("--screen", "half a thought"), ("--no-screen", "")])
def test_a_draft_is_known_where_the_screen_may_be_kept(
    home: Path, dejavu: Callable[..., Result], tmp_path: Path, claude: str, ended: None,
    monkeypatch: pytest.MonkeyPatch, screen: str, draft: str,
) -> None:  # fmt: skip
    (tmp_path / "bin" / "claude").write_text(_DRAWS.format(python=sys.executable))
    monkeypatch.setenv("WEATHER_API_KEY", "cumulonimbus-4711-xyz")
    words = own_program("dejavu.interfaces.run", "--detach", screen, "--name", "api", "claude")
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    view = session("api")
    end = time.monotonic() + 8
    while not view.status.draft and time.monotonic() < end:
        time.sleep(0.1)
        view = session_store.load(view.folder) or view
    kill(view)
    (row,) = dejavu("desk", "--json").json["sessions"]
    assert (row["draft"] or "").startswith(draft)
    assert bool(row["draft"]) == bool(draft)
    assert "cumulonimbus" not in (view.folder / "status.json").read_text()


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
def test_windows_of_tmux_come_back_under_their_names(
    home: Path, dejavu: Callable[..., Result], tmp_path: Path, claude: str, ended: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))
    monkeypatch.delenv("TMUX", raising=False)
    words = own_program("dejavu.interfaces.run", "--name", "api", "--", "claude")
    place = ["-s", "desk", "-n", "left", "-c", str(tmp_path)]
    made = ["tmux", "-f", "/dev/null", "new-session", "-d", *place]
    subprocess.run([*made, *words], check=True, timeout=30)
    try:
        first = session("api")
        assert first.session.tmux == "desk:left"
        subprocess.run(["tmux", "kill-server"], check=True, timeout=30)
        gone(first)
        (row,) = dejavu("desk", "--json").json["sessions"]
        assert (row["reason"], row["tmux"]) == ("hangup", "desk:left")
        assert "in tmux desk:left" in dejavu("desk").out
        assert dejavu("desk", "restore", "-y").code == 0
        assert session("api").session.tmux == "desk:left"
        listed = subprocess.run(
            ["tmux", "list-windows", "-t", "desk", "-F", "#{window_name} #{pane_current_path}"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert listed.stdout == f"left {tmp_path}\n"
    finally:
        subprocess.run(["tmux", "kill-server"], capture_output=True, timeout=30)


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
def test_no_name_that_was_captured_runs_a_command_of_tmux(
    home: Path, dejavu: Callable[..., Result], tmp_path: Path, claude: str, ended: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A window is called what runs in it, a folder what a repository says; tmux expands both."""
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))
    monkeypatch.setenv("DEJAVU_NOTE", "ends in ;")
    monkeypatch.delenv("TMUX", raising=False)
    ran = tmp_path / "ran"
    format_ = f"#(touch {ran})"
    project = tmp_path / "x#(touch ..;ran)#{pid}#[y]##;"
    project.mkdir()
    for number, (place, name) in enumerate(
        [(f"a{format_}:b{format_}", "one"), (f"a(touch {ran}):;", "two"), ("c;:-d;", "t;")]
    ):
        folder = record(f"20260101-000000-000{number}", "working", live=False, updated_at=time.time(),
                        name=name)  # fmt: skip
        header = read_json(folder / "session.json")
        header |= {"tmux": place, "argv": ["claude"], "agent": "claude", "workspace": str(project)}
        write_json(folder / "session.json", header)
    try:
        assert dejavu("desk", "restore", "-y").code == 0
        for name in ("one", "two", "t;"):
            assert session(name).session.workspace == str(project)
        format_ = "#{session_name}:#{window_name}"
        listed = subprocess.run(
            ["tmux", "list-windows", "-a", "-F", format_],
            capture_output=True,
            text=True,
            check=True,
        )
        kept = f"(touch {ran})"
        assert sorted(listed.stdout.splitlines()) == [f"a{kept}:;", f"a{kept}:b{kept}", "c;:-d;"]
        time.sleep(1)
        assert not ran.exists()
    finally:
        subprocess.run(["tmux", "kill-server"], capture_output=True, timeout=30)


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
def test_a_program_that_is_no_known_agent_comes_back_and_one_that_ends_is_named(
    home: Path, dejavu: Callable[..., Result], tmp_path: Path, claude: str, ended: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))
    monkeypatch.delenv("TMUX", raising=False)
    program = tmp_path / "bin" / "quietly"
    shutil.copy(tmp_path / "bin" / "claude", program)
    words = own_program("dejavu.interfaces.run", "--name", "api", "--", "quietly")
    made = ["tmux", "-f", "/dev/null", "new-session", "-d", "-s", "desk", "-c", str(tmp_path)]
    subprocess.run([*made, *words], check=True, timeout=30)
    try:
        first = session("api")
        subprocess.run(["tmux", "kill-server"], check=True, timeout=30)
        gone(first)
        program.write_text("#!/no/such/interpreter\n")
        done = dejavu("desk", "restore", "-y")
        assert done.code == 1
        assert "quietly ended at once in a window of tmux; `dejavu-run quietly` shows" in done.err
        shutil.copy(tmp_path / "bin" / "claude", program)
        assert dejavu("desk", "restore", "-y").code == 0
        assert session("api").session.agent == "quietly"
    finally:
        subprocess.run(["tmux", "kill-server"], capture_output=True, timeout=30)
