"""What the terminal around learns by sequences that have no question: its own, and what is asked for.

iTerm2 and orca are told in their own words where they are found, through a tmux that passes sequences
on as well: there they show the state of the pane that needs a person most. Progress, notices and
variables are said where the operator asks for them.

OSC 9;4, OSC 777 and OSC 1337 SetUserVar go to the wrapper, which writes them between the agent's own
sequences (`capsule.announcer`). Inside tmux and GNU screen these are not said: they swallow them.
Variables are for WezTerm and iTerm2, by the names that they give themselves.
"""

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from dejavu.capsule.passthrough import wrapped
from dejavu.config.settings import Reporting

from . import iterm, orca, outside, tmux
from .report import Report
from .terminal import NO_OSC, WrapperVoice

_PROGRESS = {"working": "3", "blocked": "4;100", "error": "2;100"}
"""Without end, paused, failed; every other state shows no bar."""

_WITH_VARIABLES = ("WezTerm", "iTerm.app")


def _wanted(environ: Mapping[str, str], config: Reporting) -> tuple[bool, bool, bool]:
    """Whether progress, notifications and variables are to be said to this terminal."""
    if environ.get("TERM", "") in NO_OSC or environ.get("TMUX") or environ.get("STY"):
        return False, False, False
    named = environ.get("TERM_PROGRAM") in _WITH_VARIABLES or "WEZTERM_PANE" in environ
    return config.terminal_progress, config.terminal_notify, config.terminal_variables and named


def _own(
    environ: Mapping[str, str], config: Reporting
) -> tuple[list[Callable[[Report], str]], tuple[str, ...]]:
    """How hosts that are found are told in their own words, and the layers between."""
    if not config.hosts or environ.get("TERM", "") in NO_OSC:
        return [], ()
    if not environ.get("TMUX"):
        return [host.sequence for host in (iterm, orca) if host.is_here(environ)], ()
    around = outside.terminals(environ)
    return [host.sequence for host in (iterm, orca) if host.is_outside(environ, around)], ("tmux",)


def is_announced(environ: Mapping[str, str], config: Reporting) -> bool:
    """Whether anything is to be said at all."""
    return any(_wanted(environ, config)) or bool(_own(environ, config)[0])


class Announcements:
    """Says one session's state to its terminal, by way of its control socket."""

    def __init__(
        self,
        environ: Mapping[str, str],
        config: Reporting,
        folder: Path,
        note: Callable[[str], None],
    ) -> None:
        self._progress, self._notify, self._variables = _wanted(environ, config)
        self._own, self._layers = _own(environ, config)
        self._environ, self._told_own = environ, ""
        self._wrapper = WrapperVoice(folder, note)
        self._last = ("", "", "")

    def told(self, report: Report) -> None:
        """Say what is new. Never raises."""
        data = "".join(self._sequences(report)).encode("utf-8", "replace")
        self._last = (report.state, report.agent, report.message)
        if data:
            self._wrapper.say({"do": "announce", "data": data})
        if self._own and self._layers:
            self._tell_outside(tmux.most_urgent(self._environ, report))

    def _tell_outside(self, report: Report) -> None:
        """Tell hosts through the layers between, a sequence each."""
        sequences = [one for own in self._own if (one := own(report))]
        if (said := "".join(sequences)) == self._told_own:
            return
        self._told_own = said
        for one in sequences:
            data = wrapped(one.encode("utf-8", "replace"), self._layers)
            self._wrapper.say({"do": "announce", "data": data})

    def _sequences(self, report: Report) -> Iterator[str]:
        changed = report.state != self._last[0]
        own = "" if self._layers else "".join(sequence(report) for sequence in self._own)
        if own != self._told_own:
            self._told_own = own
            yield own
        if self._progress and changed:
            yield f"\x1b]9;4;{_PROGRESS.get(report.state, '0')}\x1b\\"
        if self._variables and (report.state, report.agent) != self._last[:2]:
            for name, value in (("state", report.state), ("agent", report.agent)):
                text = b64encode(value.encode("utf-8", "replace")).decode()
                yield f"\x1b]1337;SetUserVar=dejavu_{name}={text}\x1b\\"
        asks_anew = report.state == "blocked" and report.message != self._last[2]
        if self._notify and report.needs_person and (changed or asks_anew):
            title = f"{report.name or report.agent}: {report.state}".replace(";", ",")
            yield f"\x1b]777;notify;{title};{report.message.replace(';', ',')}\x1b\\"
