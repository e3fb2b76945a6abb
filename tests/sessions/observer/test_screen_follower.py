import subprocess
import sys
import time

from dejavu.sessions.observer.screen_follower import CpuActivity


def _ask(code: str, wanted: bool) -> bool | None:
    """What is said of a process that runs `code`; asked until it is `wanted`, 30 s at most."""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            activity, said = CpuActivity(process.pid), None
            assert activity.is_busy() is None  # nothing to compare with yet
            end = time.monotonic() + 30
            while said is not wanted and time.monotonic() < end:
                time.sleep(0.3)
                said = activity.is_busy()
        finally:
            process.kill()  # `Popen` would wait for it for ever
    return said


def test_a_process_that_burns_is_busy_and_one_that_waits_is_not() -> None:
    assert _ask("print(1, flush=True)\nwhile True: pass", wanted=True) is True
    assert _ask("import time; print(1, flush=True); time.sleep(60)", wanted=False) is False


def test_children_count() -> None:
    # The child ends with its parent's pipe, whatever becomes of the parent.
    burn = "import select, sys\nwhile not select.select([0], [], [], 0)[0]: pass"
    parent = (
        "import subprocess, sys, time\n"
        f"p = subprocess.Popen([sys.executable, '-c', {burn!r}], stdin=subprocess.PIPE)\n"
        "print(1, flush=True)\ntime.sleep(60)"
    )
    assert _ask(parent, wanted=True) is True


def test_a_process_that_is_gone_is_not_known() -> None:
    activity = CpuActivity(2**22 - 1)
    assert activity.is_busy() is None
    assert activity.is_busy() is None
