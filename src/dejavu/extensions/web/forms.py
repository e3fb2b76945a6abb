"""Forms that every view of the archive shares, and reading what was entered in them.

A field that says nothing is left out; one that cannot be read is a `DejavuError` with a sentence.

Tested in: tests/extensions/web/test_conversation_views.py
"""

from collections.abc import Mapping
from urllib.parse import urlencode

from markupsafe import Markup

from dejavu.archive import Archive
from dejavu.export.html import tag
from dejavu.interfaces.filters import check_range, read_filter, resolve_filter
from dejavu.model import ConversationFilter

_FIELDS = (("project", "Project"), ("workspace", "Folder"), ("instance", "Machine"),
           ("agent", "Agent"), ("since", "Since"), ("until", "Until"), ("tag", "Tag"))  # fmt: skip
_READ = (*(name for name, _ in _FIELDS), "starred")


def filters(archive: Archive, query: Mapping[str, str]) -> ConversationFilter:
    """The filter of a query string.

    Raises:
        InvalidValueError: a time is none or is behind the other, or no conversation was held in the folder.
    """
    wanted = read_filter({name: query.get(name) or None for name in _READ})
    check_range(wanted, prefix="")
    return resolve_filter(archive, wanted)


def filter_form(
    query: Mapping[str, str],
    address: str,
    first: Markup,
    remark: Markup | None = None,
    *,
    button: str = "Show",
) -> Markup:
    """The form of the filters, folded behind a field of the view's own and a remark on it."""
    fields = (
        tag("label", title, tag("input", name=name, value=query.get(name) or None, size="12"))
        for name, title in _FIELDS
    )
    more = tag(
        "details",
        tag("summary", "Filters"),
        tag("div", *fields, _starred(query), class_="fields"),
        open=any(query.get(name) for name in _READ),
    )
    show = tag("button", button, type="submit")
    return tag("form", first, show, remark, more, class_="filters", role="search", action=address)


def _starred(query: Mapping[str, str]) -> Markup:
    box = tag("input", type="checkbox", name="starred", value="true",
              checked=query.get("starred") == "true")  # fmt: skip
    return tag("label", "Starred", box)


def chips(query: Mapping[str, str], address: str) -> Markup | None:
    """The filters in force, each as a link to the same page without it; None without any."""
    titles = {**dict(_FIELDS), "starred": "Starred"}
    links = [
        tag(
            "a",
            title if name == "starred" else f"{title}: {query[name]}",
            tag("span", " ×", aria_hidden="true"),
            href=_without(query, address, name),
            aria_label=f"Remove the filter {title}",
        )
        for name, title in titles.items()
        if query.get(name)
    ]
    return tag("p", *links, class_="chips") if links else None


def _without(query: Mapping[str, str], address: str, name: str) -> str:
    left = {key: value for key, value in query.items() if key not in (name, "offset") and value}
    return f"{address}?{urlencode(left)}" if left else address


def problem(sentence: str) -> Markup:
    """What could not be done, said where the answer would stand."""
    return tag("p", sentence, class_="fault", role="alert")
