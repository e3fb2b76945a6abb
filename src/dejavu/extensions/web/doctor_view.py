"""The findings of `dejavu doctor`, the worst first. Costs what that command costs, at each load.

Tested in: tests/extensions/web/test_views.py
"""

import platform
from collections import Counter

from markupsafe import Markup

from dejavu.export.html import join, tag, text
from dejavu.interfaces.doctor import Finding, Severity, run_checks, worst_first
from dejavu.model.plural import counted

from .endpoint import ARCHIVE
from .frame import frame

_WORDS = {Severity.ERROR: "Error", Severity.WARNING: "Warning", Severity.OK: "Passed"}


def doctor(version: str, base: str) -> str:
    """The page: what is wrong with its fix, and what passed, folded."""
    with ARCHIVE:
        findings = worst_first(list(run_checks()))
    passed = [finding for finding in findings if finding.severity is Severity.OK]
    wrong = findings[: len(findings) - len(passed)]
    system = f"dejavu {version}, Python {platform.python_version()}, {platform.platform()}"
    numbers = Counter(finding.severity for finding in wrong)
    counts = ", ".join(counted(number, _WORDS[each].lower()) for each, number in numbers.items())
    header = tag("header", tag("h1", "Doctor"), tag("p", system, class_="facts"))
    main = tag(
        "main",
        tag("p", counts if wrong else "Everything that was checked is well.", class_="counts",
            role="status"),
        tag("ul", join(map(_item, wrong)), class_="findings") if wrong else None,
        tag(
            "details",
            tag("summary", counted(len(passed), "check"), " passed"),
            tag("ul", join(map(_item, passed)), class_="findings"),
        )
        if passed
        else None,
        tag("p", tag("a", "Check again", href=f"{base}/doctor"), class_="pages"),
        id="main",
    )  # fmt: skip
    return frame("Doctor", header, main, base=base, here="doctor", script="reading.js")


def _item(finding: Finding) -> Markup:
    word = tag("span", _WORDS[finding.severity], class_=f"severity-{finding.severity}")
    return tag(
        "li",
        tag("h2", word, " ", text(finding.subject)),
        tag("p", _with_code(finding.message)),
        tag("p", tag("b", "Fix: "), _with_code(finding.fix)) if finding.fix else None,
    )


def _with_code(sentence: str) -> Markup:
    """A sentence whose commands stand between backticks."""
    pieces = sentence.split("`")
    if len(pieces) % 2 == 0:
        return text(sentence)
    return join(tag("code", piece) if at % 2 else piece for at, piece in enumerate(pieces))
