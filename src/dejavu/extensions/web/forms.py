"""Forms that every view of the archive shares, and reading what was entered in them.

A field that says nothing is left out; one that cannot be read is a `DejavuError` with a sentence.

Tested in: tests/extensions/web/test_conversation_views.py
"""

from collections.abc import Mapping

from markupsafe import Markup

from dejavu.archive import Archive
from dejavu.export.html import tag
from dejavu.interfaces.filters import check_range, read_filter, resolve_filter
from dejavu.model import ConversationFilter

_FIELDS = (("workspace", "Workspace"), ("instance", "Instance"), ("agent", "Agent"),
           ("since", "Since"), ("until", "Until"))  # fmt: skip


def filters(archive: Archive, query: Mapping[str, str]) -> ConversationFilter:
    """The filter of a query string.

    Raises:
        InvalidValueError: a time is none or is behind the other, or no conversation was held in the folder.
    """
    wanted = read_filter({name: query.get(name) or None for name, _ in _FIELDS})
    check_range(wanted, prefix="")
    return resolve_filter(archive, wanted)


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
