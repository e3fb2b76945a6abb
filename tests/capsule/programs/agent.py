# Started hundreds of times: pathlib is not worth its import here.
"""An agent for tests: does one thing, named by its first argument."""

import hashlib
import os
import random
import signal
import subprocess
import sys
import termios
import time
import tty

PYTHONS = (signal.SIGPIPE, signal.SIGXFSZ)  # this interpreter ignores them itself


def blocks(seed=7, size=1 << 16):
    """An endless stream any test can make again: every byte value, no period."""
    source = random.Random(seed)
    while True:
        yield source.randbytes(size)


def put(data):
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def raw():
    if os.isatty(0):
        tty.setraw(0)


def flood(size="0", code="0"):
    """SIZE bytes of the stream (0: without end), then exit CODE."""
    raw()
    left = int(size)
    put(b"ready\n")
    for block in blocks():
        put(block[:left] if int(size) else block)
        left -= len(block)
        if int(size) and left <= 0:
            break
    sys.exit(int(code))


def ask(cuts="", pause="0.02"):
    """Ask for program status as Claude Code does, cut at CUTS; print what came, up to DA1's end."""
    raw()
    question = b"\x1b[?u\x1b]7501;?\x07\x1b[c"
    places = [int(cut) for cut in cuts.split(",") if cut]
    for start, end in zip([0, *places], [*places, len(question)], strict=True):
        put(question[start:end])
        time.sleep(float(pause))
    answer = b""
    while b"c" not in answer:
        answer += os.read(0, 1)
    put(b"got " + answer.hex().encode() + b"\n")
    line = b""
    while not line.endswith(b"\r"):
        line += os.read(0, 1)
    put(b"then " + line.hex().encode() + b"\n")


def swallow(size, pause="0"):
    """Read SIZE bytes (pausing PAUSE seconds now and then), print their hash."""
    raw()
    put(b"ready\n")
    left, digest, turn = int(size), hashlib.sha256(), 0
    while left:
        data = os.read(0, min(left, 65536))
        if not data:
            break
        left -= len(data)
        digest.update(data)
        turn += 1
        if turn % 200 == 0:
            time.sleep(float(pause))
    put(digest.hexdigest().encode() + b"\n")


def both(size):
    """Echo SIZE bytes back as they come, both ways at once."""
    raw()
    put(b"ready\n")
    left = int(size)
    while left:
        data = os.read(0, min(left, 65536))
        if not data:
            break
        left -= len(data)
        put(data)


def idle():
    raw()
    put(b"ready\n")
    while True:
        signal.pause()


def deaf():
    """As idle, but no polite signal ends it."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    idle()


def bye(code="0"):
    put(b"bye\n")
    sys.exit(int(code))


def sizes():
    """Print the window size now and at every change."""

    def show(*_):
        size = os.get_terminal_size(0)
        put(f"size {size.columns}x{size.lines}\n".encode())

    signal.signal(signal.SIGWINCH, show)
    show()
    put(b"ready\n")
    while True:
        signal.pause()


def sleeper():
    """Suspend the job at every "z" typed, end at "q"; say when continued."""
    raw()
    put(b"ready\n")
    while (key := os.read(0, 1)) != b"q":
        if key == b"z":
            put(b"going\n")
            os.kill(0, signal.SIGTSTP)
            put(b"again\n")
        else:
            put(b"[" + key + b"]")


def orphan(seconds="30", talk=""):
    """Leave a grandchild that holds the terminal, and end with 3."""
    command = (
        ["sh", "-c", f"while sleep 0.01; do echo {talk}; done"] if talk else ["sleep", seconds]
    )
    child = subprocess.Popen(command, start_new_session=True)
    put(b"pid %d.\nleft\n" % child.pid)
    sys.exit(3)


def is_open(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def report():
    """What an agent can see of how it was started."""
    seen = {
        "blocked": sum(1 << (n - 1) for n in signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "ignored": [
            n for n in range(1, 32) if signal.getsignal(n) is signal.SIG_IGN and n not in PYTHONS
        ],
        "argv0": sys.orig_argv[0],
        "fds": [fd for fd in range(3, 1024) if is_open(fd)],
        "tty": [os.isatty(fd) for fd in (0, 1, 2)],
        "umask": os.umask(0),
    }
    if seen["tty"][0]:
        modes = termios.tcgetattr(0)
        seen["modes"] = [*modes[:4], [c if isinstance(c, int) else c[0] for c in modes[6]]]
        seen["size"] = list(os.get_terminal_size(0))
        seen["foreground"] = os.tcgetpgrp(0) == os.getpgrp()
    put(repr(seen).encode() + b"\n")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
