"""The observer as a program: frames on stdin, one JSON report on descriptor 3.

Ends when its input ends, which is also what it sees when the wrapper was killed.
"""

import json
import os
import select
import signal
import sys
import time

from dejavu.capsule import REPORT_FD, Decoder

from .observer import SessionObserver


def main() -> int:
    """Observe one session."""
    # The wrapper's end is our end of input; a polite TERM must not cut the archiving short.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    decoder, observer = Decoder(), SessionObserver()
    poll = select.poll()
    poll.register(0, select.POLLIN)
    while True:
        due = observer.due
        left = None if due is None else max(0.0, due - time.time()) * 1000
        if poll.poll(left):
            data = os.read(0, 1 << 20)
            if not data:
                break
            for event in decoder.feed(data):
                observer.event(event)
        observer.tick(time.time())
    report = observer.finish()
    try:
        os.write(REPORT_FD, json.dumps(report).encode())
        os.close(REPORT_FD)
    except OSError:
        pass  # the wrapper has gone; the archive has it all the same
    return 0


if __name__ == "__main__":
    sys.exit(main())
