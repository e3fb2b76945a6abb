import subprocess
import sys
import time

from dejavu.surfaces.observer.physics import Physics


def _ask(code: str) -> bool | None:
    """What is said of a process that runs `code`, over half a second."""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        physics = Physics(process.pid)
        assert physics.busy() is None  # nothing to compare with yet
        time.sleep(0.6)
        said = physics.busy()
        process.kill()
    return said


def test_a_process_that_burns_is_busy_and_one_that_waits_is_not() -> None:
    assert _ask("print(1, flush=True)\nwhile True: pass") is True
    assert _ask("import time; print(1, flush=True); time.sleep(60)") is False


def test_children_count() -> None:
    # The child ends with its parent's pipe, whatever becomes of the parent.
    burn = "import select, sys\nwhile not select.select([0], [], [], 0)[0]: pass"
    parent = (
        "import subprocess, sys, time\n"
        f"p = subprocess.Popen([sys.executable, '-c', {burn!r}], stdin=subprocess.PIPE)\n"
        "print(1, flush=True)\ntime.sleep(60)"
    )
    assert _ask(parent) is True


def test_a_process_that_is_gone_is_not_known() -> None:
    physics = Physics(2**22 - 1)
    assert physics.busy() is None
    assert physics.busy() is None
