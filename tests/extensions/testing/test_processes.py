import os
import signal
import subprocess
import sys
import time
import uuid

import pytest

from dejavu.extensions.testing.processes import MARKER, Activity, alive, end

MARK = uuid.uuid4().hex


def started(code: str, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        **options,  # type: ignore[call-overload]
    )


def test_a_process_that_spins_has_little_time_and_one_that_sleeps_all() -> None:
    spinning = started("print(flush=True)\nwhile True: pass")
    sleeping = started("print(flush=True)\nimport time; time.sleep(60)")
    try:
        for process in (spinning, sleeping):
            assert process.stdout is not None
            process.stdout.readline()
        looks = [Activity(process.pid) for process in (spinning, sleeping)]
        time.sleep(0.1)
        [look.elapsed() for look in looks]
        time.sleep(0.3)
        spun, slept = (look.elapsed() for look in looks)
        assert spun < 0.1
        assert slept > 0.25
    finally:
        for process in (spinning, sleeping):
            process.kill()
            process.communicate()


def test_without_proc_time_is_the_clocks() -> None:
    clock = iter([1.0, 3.5])
    assert Activity(2**22 + 1, lambda: next(clock)).elapsed() == 2.5


def test_who_left_the_session_is_ended_too() -> None:
    code = (
        "import os, signal, time\n"
        "for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\n"
        "if os.fork() == 0: os.setsid()\n"
        "os.write(1, b'up\\n'); time.sleep(600)"
    )
    process = started(code, env={**os.environ, MARKER: f"outer:{MARK}"}, start_new_session=True)
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["up\n"] * 2
    assert len(set(alive(MARK))) == 2
    assert process.pid in set(alive(MARK))
    assert end(MARK, None, set()) == []
    assert not list(alive(MARK))
    assert process.wait(10) == -signal.SIGKILL
    process.stdout.close()


@pytest.mark.parametrize("session", [None, -1, 0, 1, os.getsid(0)])
def test_no_session_but_the_programs_own_is_taken_for_it(session: int | None) -> None:
    """Kernel threads and what started a container have session 0."""
    assert not list(alive("nobody-has-this", session))
    with pytest.raises(ValueError, match="empty"):
        list(alive("", session))
