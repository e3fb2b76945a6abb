"""Answering, keys and the end of a session, on a program that asks, under the real wrapper."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.factories.waiting import until

from dejavu.interfaces.doctor.sessions import running
from dejavu.model import CaptureError, InvalidValueError, KeysBetweenError, NotFoundError
from dejavu.sessions import session_store as sessions
from dejavu.sessions.answer import _HINT, _is_redrawn, _wants_two, answer, interrupt
from dejavu.sessions.observer.screen_server import look
from dejavu.sessions.send_input import InputRefusedError, hands_off, press, type_into
from dejavu.sessions.serialize import UNOBSERVED, session_to_dict
from dejavu.sessions.session_store import SessionView
from dejavu.sessions.stop_session import stop

# It asks by a list with a pointer, then by a letter, then works until Escape, as agents do. `told`: it
# reports the dialog before it is drawn.
ASKS = r"""
import os, sys, time, tty, select
tty.setraw(0)
def keys(): return os.read(0, 64)
def draw(*rows):
    os.write(1, b"\x1b[2J\x1b[H" + "\r\n".join(rows).encode())
os.write(1, b"\x1b[?1h" if "application" in sys.argv else b"")
up, down = (b"\x1bOA", b"\x1bOB") if "application" in sys.argv else (b"\x1b[A", b"\x1b[B")
stops, byte = ("ctrl+c", b"\x03") if "ctrl+c" in sys.argv else ("esc", b"\x1b")
if "twice" in sys.argv: stops = "esc esc"
presses = 0
BOX = ["─" * 80, "❯ ", "─" * 80, "  ? for shortcuts"]
labels, at = ["Yes", "Yes, and do not ask again", "No, and say what to do instead"], 0
feedback = ""
if "words" in sys.argv: labels[2] = "No, with feedback"
if "waits" in sys.argv: labels[2] += " (Esc to stop)"
if "told" in sys.argv:
    os.write(1, b"\x1b]7501;state=blocked:kind=permission:msg=cnVuIHJtIC1yIGJ1aWxk\x1b\\")
    draw("● I run it.", "", *BOX)
    time.sleep(2)
def below(n):
    if not {"says", "says other"} & set(sys.argv) or n != 1: return ""
    return "\r\n     in / and all below" if at and "says other" in sys.argv else "\r\n     in /srv/shop"
while True:
    command = "rm -r ~" if "swaps" in sys.argv and at else "rm -r build"
    draw("Bash command", "", f"  {command}", "", "Do you want to run this command?",
         *[f"{'❯' if n == at else ' '} {n + 1}. {label}{below(n)}" for n, label in enumerate(labels)],
         "", "Enter to confirm · Esc to cancel")
    key = keys()
    if key == down and "stuck" not in sys.argv: at = min(at + 1, 2)
    elif key == up: at = max(at - 1, 0)
    elif key == b"\r" and at == 2 and "words" in sys.argv and not feedback:
        feedback = " "
        while True:
            draw("Bash command", "", "  rm -r build", "", "Do you want to run this command?",
                 *[f"{'❯' if n == at else ' '} {n + 1}. {label}" for n, label in enumerate(labels)],
                 f"     {feedback}", "", "Type feedback · ↵ submit")
            typed = keys().decode()
            if "\r" in typed: break
            feedback += typed
        labels[2] += feedback
        break
    elif key == b"\r" and not ("waits" in sys.argv and at == 2): break
    elif key == b"\x1b" and "waits" in sys.argv and at == 2: break
open(sys.argv[1], "a").write(labels[at] + "\n")
draw("Overwrite the file? [y/N]")
open(sys.argv[1], "a").write(keys().decode() + "\n")
start = time.time()
while True:
    clock = int(time.time() - start)
    draw("❯ build it", "", f"✻ Working… ({clock}s · {stops} to interrupt)", "", *BOX)
    if select.select([0], [], [], 0.2)[0]:
        presses += keys().count(byte)
        if "again" in sys.argv: stops = "esc again"
        if presses > (1 if {"again", "twice"} & set(sys.argv) else 0): break
said, typed = [], ""
while True:
    draw("❯ build it", "", "● It was interrupted.", "", *said, BOX[0], "❯ " + typed, *BOX[2:])
    os.write(1, b"\x1b[%d;%dH" % (6 + len(said), 3 + len(typed)))
    for key in keys().decode():
        if key == "\r": said, typed = [*said, "❯ " + typed, "", "● Yes.", ""], ""
        else: typed += key
"""


@pytest.fixture
def asking(home: Path, tmp_path: Path) -> Iterator[Callable[..., SessionView]]:
    """Starts the program under the wrapper; its session once it asks."""
    runs: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> SessionView:
        program = tmp_path / "demo"
        program.write_text(f"#!{sys.executable}\n{ASKS}")
        program.chmod(0o755)
        command = [sys.executable, "-m", "dejavu.interfaces.run", "--headless", "--name", "asks",
                   "--size", "80x24", "--", str(program), str(tmp_path / "log"), *arguments]  # fmt: skip
        runs.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ))
        until(lambda: any(view.session.name == "asks" for view in sessions.find_all()))
        until(lambda: sessions.find("asks").status.blocked)
        return sessions.find("asks")

    yield start
    for run in runs:
        run.terminate()
        run.wait(20)


def test_a_choice_by_number_then_by_letter_then_an_interrupt(
    asking: Callable[..., SessionView], tmp_path: Path
) -> None:
    view = asking()
    log = tmp_path / "log"
    with pytest.raises(InvalidValueError, match="1 Yes, 2 Yes, and"):
        answer(view, "perhaps")
    with pytest.raises(InvalidValueError, match="more than one"):
        answer(view, "Ye")
    assert answer(view, "3").startswith("No, and")
    until(
        lambda: (sessions.find("asks").status.blocked or {}).get("question", "").startswith("Over")
    )
    assert log.read_text() == "No, and say what to do instead\n"
    assert answer(sessions.find("asks"), "y") == "y"
    until(lambda: sessions.find("asks").state == "working")
    assert log.read_text().splitlines()[1] == "y"
    with pytest.raises(InputRefusedError, match="isn't asking anything"):
        answer(sessions.find("asks"), "1")
    assert interrupt(sessions.find("asks")) in ("idle", "done")
    with pytest.raises(InputRefusedError, match="nothing to interrupt"):
        interrupt(sessions.find("asks"))
    stop(sessions.find("asks"))
    with pytest.raises(NotFoundError):
        stop(view)
    with pytest.raises(NotFoundError):
        press(sessions.find("asks"), ["Enter"])


def test_keys_of_a_person_do_not_turn_an_answer_into_another(
    asking: Callable[..., SessionView], tmp_path: Path
) -> None:
    view, log = asking(), tmp_path / "log"

    def person() -> None:
        for key in ("Down", "Up", "Down", "Down", "Up", "Up", "Down", "Down"):
            press(view, [key])
            time.sleep(0.07)

    typing = threading.Thread(target=person)
    typing.start()
    chosen = answer(view, "2")
    typing.join()
    assert log.read_text().splitlines()[0] == chosen == "Yes, and do not ask again"


def test_a_choice_that_enter_does_not_take_is_taken_by_the_key_in_its_label(
    asking: Callable[..., SessionView], tmp_path: Path
) -> None:
    chosen = answer(asking("waits"), "3")
    assert chosen.endswith("(Esc to stop)")
    assert (tmp_path / "log").read_text().splitlines()[0] == chosen


def test_a_refusal_that_takes_words_is_made_and_then_given_them(
    asking: Callable[..., SessionView], tmp_path: Path
) -> None:
    view = asking("words")
    assert answer(view, "3") == "No, with feedback"
    assert (sessions.find("asks").status.blocked or {})["takes_text"]
    assert not (tmp_path / "log").exists()
    assert answer(view, "keep the folder") == "keep the folder"
    assert (tmp_path / "log").read_text().splitlines()[0] == "No, with feedback keep the folder"


def test_rows_above_a_dialog_that_come_and_go_do_not_end_it() -> None:
    dialog = {"kind": "permission", "question": "Run it?", "choices": ["Yes", "No"]}
    one, both = {**dialog, "subject": "rm a"}, {**dialog, "subject": "rm a\nrm a\nShell"}
    assert _is_redrawn(one, both)
    assert _is_redrawn(both, one)
    assert not _is_redrawn(one, {**dialog, "subject": "rm b"})
    assert not _is_redrawn(one, {**both, "choices": ["Yes"]})


def test_no_key_follows_keys_that_were_not_looked_at(asking: Callable[..., SessionView]) -> None:
    view = asking()
    seen = hands_off(view)
    press(view, ["Down"])
    with pytest.raises(KeysBetweenError):
        press(view, ["Enter"], after=seen)
    assert (sessions.find("asks").status.blocked or {})["kind"]


def test_cursor_keys_as_the_program_wants_them(
    asking: Callable[..., SessionView], tmp_path: Path
) -> None:
    view = asking("application", "ctrl+c")
    assert answer(view, "yes, and") == "Yes, and do not ask again"
    until((tmp_path / "log").exists)
    assert (tmp_path / "log").read_text() == "Yes, and do not ask again\n"
    until(
        lambda: (sessions.find("asks").status.blocked or {}).get("question", "").startswith("Over")
    )
    answer(sessions.find("asks"), "N")
    until(lambda: sessions.find("asks").state == "working")
    assert interrupt(sessions.find("asks")) in ("idle", "done"), "by the key that the screen names"


@pytest.mark.fault("I1")
@pytest.mark.parametrize("how", ["again", "twice"])
def test_a_key_that_is_to_be_pressed_twice_is(asking: Callable[..., SessionView], how: str) -> None:
    answer(asking(how), "1")
    until(
        lambda: (sessions.find("asks").status.blocked or {}).get("question", "").startswith("Over")
    )
    answer(sessions.find("asks"), "y")
    until(lambda: sessions.find("asks").state == "working")
    began = time.monotonic()
    assert interrupt(sessions.find("asks")) in ("idle", "done")
    assert time.monotonic() - began < 4.0, "before the agent forgets the first"


@pytest.mark.parametrize(
    ("row", "twice"),
    [
        ("✻ Working… (1s · esc to interrupt)", False),
        ("esc interrupt", False),
        ("esc again to interrupt", True),
        ("Press esc twice to stop", True),
        ("esc esc to cancel", True),
        ("Esc, Esc to abort", True),
        ("ctrl+c ctrl+c to cancel", True),
        ("esc to interrupt again", False),
    ],
)
def test_how_often_a_hint_wants_its_key(row: str, twice: bool) -> None:
    hint = _HINT.search(row)
    assert hint is not None
    assert _wants_two(hint) is twice


def test_nothing_is_entered_where_the_dialog_is_not_as_it_was_read(
    asking: Callable[..., SessionView], tmp_path: Path
) -> None:
    view = asking("stuck")
    asked = dict(view.status.blocked or {})
    with pytest.raises(InputRefusedError, match="did not go"):
        answer(view, "2")
    with pytest.raises(InputRefusedError, match="something else by now"):
        answer(view, "1", asked={**asked, "question": "Do you want to delete all?"})
    assert not (tmp_path / "log").exists()
    with pytest.raises(InvalidValueError, match="is no key"):
        press(view, ["Down", "Dwon"])
    press(view, ["C-m"])
    until((tmp_path / "log").exists)


def test_an_agent_in_a_pane_is_not_ours_to_end(session: Callable[..., Path]) -> None:
    session("20260101-000000-aaaa", "idle")
    view = sessions.find("20260101-000000-aaaa")
    with pytest.raises(CaptureError, match="close that instead"):
        stop(view._replace(session=view.session._replace(source="tmux:%7")))


def test_a_command_that_changes_under_the_pointer_gets_no_enter(
    asking: Callable[..., SessionView], tmp_path: Path
) -> None:
    view = asking("swaps")
    blocked = view.status.blocked
    assert blocked is not None
    assert "rm -r build" in blocked["subject"]
    with pytest.raises(InputRefusedError, match="something else by now"):
        answer(view, "2")
    assert not (tmp_path / "log").exists()


@pytest.mark.fault("33.A2")
def test_what_stands_below_a_choice_is_compared_too(
    asking: Callable[..., SessionView], tmp_path: Path
) -> None:
    """It is no part of the label, since the row above it is not full."""
    with pytest.raises(InputRefusedError, match="below its choices changed; nothing was entered"):
        answer(asking("says other"), "2")
    assert not (tmp_path / "log").exists()


def test_what_stands_below_a_choice_and_stays_is_no_hindrance(
    asking: Callable[..., SessionView], tmp_path: Path
) -> None:
    assert answer(asking("says"), "2") == "Yes, and do not ask again"
    assert (tmp_path / "log").read_text().startswith("Yes, and do not ask again")


def test_a_dialog_that_was_told_before_it_was_drawn_is_the_one_that_was_asked(
    asking: Callable[..., SessionView], tmp_path: Path
) -> None:
    view = asking("told")
    asked = dict(view.status.blocked or {})
    assert (asked["question"], asked["choices"]) == ("run rm -r build", [])
    with pytest.raises(InputRefusedError, match="something else by now"):
        answer(view, "1", asked={**asked, "question": "run rm -r src"})
    until(lambda: (sessions.find("asks").status.blocked or {}).get("choices"))
    assert answer(view, "2", asked=asked) == "Yes, and do not ask again"
    assert (tmp_path / "log").read_text() == "Yes, and do not ask again\n"


def test_a_dialog_that_was_read_while_it_was_drawn_is_the_one_that_was_asked(
    asking: Callable[..., SessionView], tmp_path: Path
) -> None:
    view = asking()
    asked = dict(view.status.blocked or {})
    part = {**asked, "choices": ["Yes", "Yes, and do"]}
    with pytest.raises(InputRefusedError, match="something else by now"):
        answer(view, "2", asked={**part, "subject": "rm -r src"})
    with pytest.raises(InputRefusedError, match="something else by now"):
        answer(view, "2", asked={**part, "choices": ["Yes", "No"]})
    assert answer(view, "2", asked=part) == "Yes, and do not ask again"


def test_an_answer_may_name_what_it_expects(
    asking: Callable[..., SessionView], tmp_path: Path
) -> None:
    view = asking()
    with pytest.raises(InputRefusedError, match="does not ask about 'git push'"):
        answer(view, "1", expect="git push")
    assert answer(view, "1", expect="rm -r build") == "Yes"
    assert (tmp_path / "log").read_text() == "Yes\n"


def test_an_agent_deaf_to_signals_is_killed_only_when_told(home: Path) -> None:
    run = [sys.executable, "-m", "dejavu.interfaces.run", "--detach", "--name", "deaf"]
    deaf = (
        "import signal; [signal.signal(n, signal.SIG_IGN) for n in (1, 15)]; print(1, flush=True); "
    )
    command = [*run, "--", sys.executable, "-c", deaf + "import time; time.sleep(600)"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=60)
    until(lambda: sessions.find("deaf").session.agent_pid)
    view = sessions.find("deaf")
    until(lambda: sessions.find("deaf").status.updated_at)
    time.sleep(0.5)
    with pytest.raises(CaptureError, match="--kill"):
        stop(view, timeout=0.5)
    assert sessions.with_liveness(view).live
    stop(view, timeout=0.5, kill=True)
    assert not sessions.with_liveness(view).live


def test_a_session_that_nobody_follows_is_unknown_and_typed_into_by_force_alone(
    asking: Callable[..., SessionView], tmp_path: Path
) -> None:
    before = asking()
    assert before.status.observer is not None
    observer = before.status.observer[0]
    os.kill(observer, signal.SIGSTOP)
    until(lambda: not sessions.find("asks").observed)
    view = sessions.find("asks")
    assert (view.live, view.state, session_to_dict(view)["detail"]) == (True, "unknown", UNOBSERVED)
    assert session_to_dict(view)["blocked"] is None
    # As it looked before its observer was missed, too: what is drawn now was not read.
    for found in (view, before._replace(status=before.status._replace(state="idle", blocked=None))):
        with pytest.raises(InputRefusedError, match="is not read"):
            type_into(found, "y")
    with pytest.raises(InputRefusedError, match="isn't asking anything: its state is unknown"):
        answer(view, "1")
    assert any(UNOBSERVED in finding.message for finding in running())
    assert not (tmp_path / "log").exists(), "nothing was entered"
    type_into(view, "", force=True)
    until((tmp_path / "log").exists)
    os.kill(observer, signal.SIGCONT)
    until(lambda: sessions.find("asks").observed)


def test_an_observer_that_was_killed_is_followed_by_one_that_reads_the_same_dialog(
    asking: Callable[..., SessionView], tmp_path: Path
) -> None:
    before = asking()
    shown = look(before.folder)
    for _ in range(2):
        observer = sessions.find("asks").status.observer
        assert observer is not None
        os.kill(observer[0], signal.SIGKILL)
        until(lambda: not sessions.find("asks").observed)
        assert sessions.find("asks").state == "unknown"
        until(lambda: sessions.find("asks").observed)
        assert not (tmp_path / "log").exists(), "nothing was entered"
        if shown is not None:
            until(lambda: sessions.find("asks").state == "blocked")
            view = sessions.find("asks")
            assert view.status.blocked == before.status.blocked
            assert look(view.folder)["rows"] == shown["rows"]
            assert any("started again" in note for note in view.status.notes)
            shown = None  # the next one is told nothing of it, for it may have been the cause
    answer_late = sessions.find("asks")
    type_into(answer_late, "", force=True)
    until((tmp_path / "log").exists)
