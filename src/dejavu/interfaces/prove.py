"""`dejavu-run --prove AGENT`: run an agent wrapped, and show that nothing between it and you changed.

Two taps log every byte with its time: one between the wrapper and the agent, one between the wrapper
and your terminal. At the end both logs are compared: the same bytes in the same order both ways, the
same exit code, and how much later each byte came out than it went in. Program status that the
wrapper says or answers for the agent (OSC 7501 and its kin) is taken out first, and counted; so is its
question whether the terminal knows that, and the terminal's answer (DA1). The logs hold all that
was typed and shown: they are 0600, and removed.
"""

import argparse
import bisect
import os
import re
import signal
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from dejavu.capsule import SpawnError, find_program
from dejavu.config.own_program import own_program
from dejavu.config.paths import private_folder, state_home
from dejavu.providers.registry import agent_of, command_of, install_hint

from .prove_tap import EXIT, FROM_AGENT, RECORD, TO_AGENT

_STATUS = rb"\](?:7501|21337|9999);[^\x07\x1b]*"
_REPORTS = re.compile(
    rb"\x1b" + _STATUS + rb"(?:\x07|\x1b\\)(?P<asked>\x1b\[c)?"
    rb"|\x1bPtmux;(?:\x1b\x1b"
    + _STATUS
    + rb"(?:\x07|\x1b\x1b\\)(?:\x1b\x1b\[c)?)+\x1b\\(?:\x1b\[c)?"
)
_ANSWER = re.compile(rb"\x1b\[\?[0-9;]{0,64}c")
_LONGEST_ANSWER = 70  # bytes
_NOTE = b"dejavu-run: "
_AROUND = 12  # bytes shown before and after the first difference


class Stream(NamedTuple):
    """What passed a tap one way: the bytes, and when how many of them had passed."""

    data: bytes
    ends: list[int]
    times: list[float]


class Verdict(NamedTuple):
    """One way through the wrapper: what went in, what came out. `delays` in seconds."""

    size: int
    added: int
    differs_at: int | None
    delays: list[float]
    around: tuple[bytes, bytes] = (b"", b"")


def prove_agent(
    options: argparse.Namespace,
    argv: list[str],
    say: Callable[[str], None],
    *,
    is_known: Callable[[str], bool],
) -> int:
    """Run the agent of `dejavu-run --prove`; return the exit code, 2 where there is nothing to prove.

    is_known: whether `--agent` takes a name.
    """
    if refusal := _refusal_of(options):
        say(refusal)
        return 2
    try:
        find_program(command_of(argv)[0], os.environ)
    except SpawnError as error:
        say(f"{error}; {install_hint(argv[0])}")
        return error.code
    agent = options.agent or agent_of(argv)
    words = _options_again(options) + ([f"--agent={agent}"] if is_known(agent) else [])
    try:
        return prove(command_of(argv), words, say)
    except OSError as error:
        say(f"--prove: {error.filename or 'no terminal'}: {error.strerror}")
        return 1


def _refusal_of(options: argparse.Namespace) -> str:
    """Why nothing can be proved; empty where it can."""
    if options.detach:
        return "--prove goes with an agent that runs here, not with --detach"
    if not (os.isatty(0) and os.isatty(1)):
        return "--prove compares two terminals: run it in one"
    if outer := os.environ.get("DEJAVU_SESSION"):
        return f"--prove: already inside session {outer}, where nothing is wrapped again"
    if os.environ.get("DEJAVU_CAPTURE", "").lower() in ("off", "0", "no"):
        return "--prove: DEJAVU_CAPTURE turns the wrapper off, so there is nothing to prove"
    return ""


def _options_again(options: argparse.Namespace) -> list[str]:
    """The options for the wrapper in the middle."""
    given = [("--screen", options.screen is True), ("--no-screen", options.screen is False),
             ("--headless", options.headless)]  # fmt: skip
    words = [word for word, wanted in given if wanted]
    words += [f"--size={options.size[0]}x{options.size[1]}"] if options.size else []
    for name in ("workspace", "instance", "name", "record"):
        value = getattr(options, name)
        words += [f"--{name}={value}"] if value else []
    return words


def prove(command: list[str], options: list[str], say: Callable[[str], None]) -> int:
    """Run `command` between two taps, print what they saw, and return the exit code.

    options: those of `dejavu-run` for the wrapper in the middle.
    The code is the agent's own, -n where signal n ended it; 1 where anything differed.
    """
    with tempfile.TemporaryDirectory(prefix="prove-", dir=private_folder(state_home())) as folder:
        inner, outer = Path(folder, "agent"), Path(folder, "terminal")
        tap = "dejavu.interfaces.prove_tap"
        wrapper = own_program(
            "dejavu.interfaces.run", *options, "--",
            *own_program(tap, str(inner), *command),
        )  # fmt: skip
        code = _run(own_program(tap, str(outer), *wrapper))
        if not inner.exists():
            say("the agent did not start, so there is nothing to compare")
            return code or 1
        near, far = read(inner), read(outer)
    far[TO_AGENT], late = until(far[TO_AGENT], near[EXIT].times)
    shown = compare(near[FROM_AGENT], far[FROM_AGENT], echo=late)
    asked = questions(far[FROM_AGENT].data) - questions(near[FROM_AGENT].data)
    typed = compare(far[TO_AGENT], near[TO_AGENT], answers=asked)
    same_code = near[EXIT].data == far[EXIT].data
    for line in report(shown, typed, near[EXIT].data.decode(), same_code=same_code):
        say(line)
    proven = shown.differs_at is None and typed.differs_at is None and same_code
    return code if proven else 1


def _run(command: Sequence[str]) -> int:
    """Run a command and hand signals on to it; its exit code, -n where signal n ended it."""
    process = subprocess.Popen(command)

    def pass_on(number: int, _frame: object) -> None:
        process.send_signal(number)

    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, pass_on)
    return process.wait()


def read(log: Path) -> dict[int, Stream]:
    """The streams of a tap's log, by way; a record that was cut by its end is left out."""
    streams = {way: Stream(b"", [], []) for way in (FROM_AGENT, TO_AGENT, EXIT)}
    pieces: dict[int, list[bytes]] = {way: [] for way in streams}
    whole, at = log.read_bytes(), 0
    while at + RECORD.size <= len(whole):
        time, way, length = RECORD.unpack_from(whole, at)
        at += RECORD.size
        pieces[way].append(whole[at : at + length])
        at += length
        ends = streams[way].ends
        ends.append((ends[-1] if ends else 0) + length)
        streams[way].times.append(time)
    return {way: one._replace(data=b"".join(pieces[way])) for way, one in streams.items()}


def questions(shown: bytes) -> int:
    """How often a terminal was asked, behind program status, who it is (DA1)."""
    return sum(match[0].endswith(b"[c") for match in _REPORTS.finditer(shown))


def until(typed: Stream, ended: Sequence[float]) -> tuple[Stream, bool]:
    """What was typed before the agent ended, and whether more was: that had nowhere to go."""
    count = bisect.bisect_right(typed.times, ended[0]) if ended else len(typed.times)
    end = typed.ends[count - 1] if count else 0
    kept = Stream(typed.data[:end], typed.ends[:count], typed.times[:count])
    return kept, count < len(typed.times)


def compare(given: Stream, taken: Stream, answers: int = 0, *, echo: bool = False) -> Verdict:
    """Compare what went in with what came out.

    answers: how many answers to DA1 may have been kept back, for the wrapper asked for them.
    echo: more may have come out at the end: the terminal's echo of keys after the agent's end.
        So may what the wrapper says then.
    """
    before, after = given, taken
    if before.data != after.data:
        before, after = (
            _without(one, [match.span() for match in _REPORTS.finditer(one.data)])
            for one in (given, taken)
        )
        for _ in range(answers):
            before = _without(before, _answer_at(before.data, after.data))
    added = len(taken.data) - len(after.data) - (len(given.data) - len(before.data))
    ended = len(before.data)
    if len(after.data) > ended and (echo or after.data.startswith(_NOTE, ended)):
        after = _without(after, [(len(before.data), len(after.data))])
    at = _first_difference(before.data, after.data)
    if at is not None:
        start = max(0, at - _AROUND)
        around = (before.data[start : at + _AROUND], after.data[start : at + _AROUND])
        return Verdict(len(before.data), added, at, [], around)
    return Verdict(len(before.data), added, None, _delays(before, after))


def _without(stream: Stream, spans: Sequence[tuple[int, int]]) -> Stream:
    """A stream without some of its bytes; what was left passed when it did."""
    if not spans:
        return stream
    starts = [start for start, _ in spans]
    gone = [0]  # up to each span
    for start, end in spans:
        gone.append(gone[-1] + end - start)

    def moved(end: int) -> int:
        at = bisect.bisect_left(starts, end)
        return end - gone[at] + (max(0, spans[at - 1][1] - end) if at else 0)

    bounds = [0, *(bound for span in spans for bound in span), len(stream.data)]
    kept = b"".join(
        stream.data[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True)
    )
    return Stream(kept, [moved(end) for end in stream.ends], stream.times)


def _answer_at(before: bytes, after: bytes) -> list[tuple[int, int]]:
    """Where `before` has an answer to DA1 that `after` lacks."""
    at = _first_difference(before, after)
    if at is None:
        return []
    found = _ANSWER.finditer(before, max(0, at - _LONGEST_ANSWER))
    return [match.span() for match in found if match.start() <= at <= match.end()][:1]


def _first_difference(one: bytes, other: bytes) -> int | None:
    if one == other:
        return None
    low, high = 0, min(len(one), len(other))
    while low < high:  # the longest common beginning, by halves
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def _delays(given: Stream, taken: Stream) -> list[float]:
    """For each piece that went in, how long until its last byte had come out."""
    delays: list[float] = []
    for end, time in zip(given.ends, given.times, strict=True):
        at = bisect.bisect_left(taken.ends, end)
        if at < len(taken.ends):
            delays.append(max(0.0, taken.times[at] - time))
    return delays


def report(shown: Verdict, typed: Verdict, code: str, *, same_code: bool) -> list[str]:
    """The sentences of what was found."""
    lines = [
        _sentence("output", "the agent wrote", shown, "your terminal got"),
        _sentence("input", "your terminal sent", typed, "the agent got"),
        f"{_ended(code)}, " + ("passed on" if same_code else "NOT passed on"),
    ]
    for verdict, name in ((shown, "output"), (typed, "input")):
        if verdict.differs_at is not None:
            before, after = verdict.around
            lines.append(
                f"{name} differs at byte {verdict.differs_at:,}: {before!r} became {after!r}"
            )
        elif verdict.delays:
            lines.append(f"{name} delay: {_delay(verdict.delays)}")
    return lines


def _ended(code: str) -> str:
    """How the agent ended, from the code that a tap wrote down: -n for signal n."""
    if not code.startswith("-"):
        return f"exit code: {code}"
    with suppress(ValueError):
        return f"ended by {signal.Signals(-int(code)).name}"
    return f"ended by signal {code[1:]}"


def _sentence(name: str, gave: str, verdict: Verdict, took: str) -> str:
    same = "the same" if verdict.differs_at is None else "something else"
    added = f", plus {verdict.added:,} bytes of program status" if verdict.added > 0 else ""
    if verdict.added < 0:
        added = f", except {-verdict.added:,} bytes that answer the wrapper's own question"
    return f"{name}: {gave} {verdict.size:,} bytes, {took} {same}{added}"


def _delay(delays: list[float]) -> str:
    ordered = sorted(delays)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    values = (("median", statistics.median(ordered)), ("p95", p95), ("longest", ordered[-1]))
    return ", ".join(f"{name} {value * 1000:.1f} ms" for name, value in values)
