"""Forms that every view of the archive shares, and reading what was entered in them.

A field that says nothing is left out; one that cannot be read is a `DejavuError` with a sentence.
"""

from collections.abc import Mapping
from typing import NamedTuple

from markupsafe import Markup

from dejavu.archive import Archive
from dejavu.export.html import tag
from dejavu.interfaces.filters import parse_time, resolve_workspace
from dejavu.model import InvalidValueError

_FIELDS = (("workspace", "Workspace"), ("instance", "Instance"), ("agent", "Agent"),
           ("since", "Since"), ("until", "Until"))  # fmt: skip


class Filters(NamedTuple):
    """What a list, a search or figures are limited to; moments are Unix seconds."""

    workspace: str | None
    instance: str | None
    agent: str | None
    since: float | None
    until: float | None


def filters(archive: Archive, query: Mapping[str, str]) -> Filters:
    """The filters of a query string.

    Raises:
        InvalidValueError: a time is none, lies behind the other, or nobody worked in the folder.
    """
    since, until = (
        parse_time(query[name]) if query.get(name) else None for name in ("since", "until")
    )
    if since is not None and until is not None and since > until:
        raise InvalidValueError("since is after until: no time lies between them")
    workspace = resolve_workspace(archive, query.get("workspace") or None)
    return Filters(
        workspace, query.get("instance") or None, query.get("agent") or None, since, until
    )


def filter_form(
    query: Mapping[str, str], address: str, first: Markup, remark: Markup | None = None
) -> Markup:
    """The form of the filters, folded behind a field of the view's own and a remark on it."""
    fields = (
        tag("label", title, tag("input", name=name, value=query.get(name) or None, size="12"))
        for name, title in _FIELDS
    )
    more = tag(
        "details",
        tag("summary", "Filters"),
        tag("div", *fields, class_="fields"),
        open=any(query.get(name) for name, _ in _FIELDS),
    )
    show = tag("button", "Show", type="submit")
    return tag("form", first, show, remark, more, class_="filters", role="search", action=address)


def problem(sentence: str) -> Markup:
    """What could not be done, said where the answer would stand."""
    return tag("p", sentence, class_="fault", role="alert")
