"""Values whose beginning can be seen, though their end may be missing.

A secret is known by a name before it or by how it begins. Where both can be seen and say nothing, a
missing end does not make a secret of the rest. Some tokens begin with no fixed letters; what looks
like one of those is not judged public here. No I/O. Cost: linear in the run.
"""

import re
from collections.abc import Callable

from .cut_values import has_secret_name, names_secret
from .random_runs import is_hexadecimal, looks_random

__all__ = ["has_visible_head", "is_public_head"]

_BEGINS_FREELY = re.compile(
    r"[0-9]{8,10}:[A-Z]|[0-9]/[0-9]{6}|[MNO][A-Za-z0-9]{22,}\.|[^\s]*atlasv1"
    r"|[a-z][a-z0-9+]*://[^/\s]*:(?![0-9]{1,5}(?:/|$))|[^\s]*8Q~"
)
"""Tokens of bots, of accounts, of states, and URLs with a user: each is known by its middle."""
_FREE = re.compile("[A-Za-z0-9_-]+")
_NAMED = re.compile(r"[A-Za-z][\w.-]*[\"'\]]?\s{0,2}[:=]\s{0,2}[\"'(]?\Z")
_OWN_NAME = re.compile(r"[A-Za-z][\w.-]{0,40}[:=]+(?=.)")


_HEAD = re.compile(
    r"[a-z][a-z0-9+]{1,16}://|[a-z]{5,}[a-z_-]*/[a-z]|(?:~|\.{1,2})/[A-Za-z.]|/[a-z]{3,}/[A-Za-z]"
)
_PATHS = re.compile(r"\S*/\S*")


def has_visible_head(run: str) -> bool:
    """Whether a run alone shows that its beginning is whole, as a URL or a path does."""
    return _HEAD.match(run) is not None


def is_public_head(before: str, run: str, begins: Callable[[str], bool]) -> bool:
    """Whether a run whose beginning can be seen is one that no rule would know when whole.

    before: the text before it, in its row or the row above; begins: whether a run begins as a
    known kind of secret does.
    """
    if is_hexadecimal(run.removeprefix("0x")):
        return not has_secret_name(before)
    own_words = run.partition("?")[2] if has_visible_head(run) else run
    if names_secret(_PATHS.sub("", before)) or names_secret(own_words) or begins(run):
        return False
    if "webhook" in run.lower():
        return False
    own_name = _OWN_NAME.match(run)
    value = run[own_name.end() :] if own_name is not None else run
    if _BEGINS_FREELY.match(run) or _BEGINS_FREELY.match(value) or begins(value):
        return False
    is_named = own_name is not None or _NAMED.search(before) is not None
    return is_named or not (_FREE.fullmatch(value) and looks_random(value))
