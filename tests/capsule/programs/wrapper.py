# ruff: noqa: PTH123
# Started hundreds of times: pathlib is not worth its import here.
"""The wrapper for tests: one Session, its options as JSON in WRAP, its result written to a file."""

import json
import os
import signal
import sys

from dejavu.capsule import CastWriter, ObserverProcess, Session, Size


class Broken:
    """A sink that fails at its third event."""

    def __init__(self):
        self.seen = 0

    def event(self, event):
        self.seen += 1
        if self.seen == 3:
            raise ValueError("no more of this")

    def close(self):
        pass


# A background job starts with these ignored, and what is ignored stays so across exec: the tests
# are about the wrapper's way with signals, not about that of whoever started pytest.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
options = json.loads(os.environ.pop("WRAP", "{}"))
sinks = []
observer = None
if "observer" in options:
    observer = ObserverProcess(options["observer"], limit=options.get("limit", 16 << 20))
    observer.takes_keys = True
    sinks.append(observer)
if "record" in options:
    sinks.append(CastWriter(options["record"]))
if options.get("broken"):
    sinks.append(Broken())
session = Session(
    sys.argv[1:],
    dict(os.environ),
    mode=options.get("mode"),
    size=Size(*options["size"]) if "size" in options else None,
    echo=options.get("echo"),
    sinks=sinks,
    control=options.get("control"),
    sink_timeout=options.get("sink_timeout", 10.0),
    tell_keys=options.get("tell_keys", False),
    answer_status_query=(lambda: options["answer"]) if "answer" in options else None,
)
code = session.run()
if "result" in options:
    with open(options["result"], "w") as file:
        json.dump(
            {
                "notes": session.notes,
                "report": observer.report.decode() if observer else "",
                "lost": observer.lost if observer else 0,
                "observer": observer.pid if observer else 0,
            },
            file,
        )
sys.exit(code)
