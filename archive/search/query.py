"""What a person asked for: words, phrases, prefixes and fields; any text is a query.

`parse` returns a `Query` of plain values. It never raises: what is no syntax is
words. `narrowed` adds what the caller asks for in fields, and `fits` asks it of one turn.

    retry budget        either word; both count for more
    "ring buffer"       these words in this order
    retr*               words that start with it
    re:/bud.et [0-9]/   a regular expression (`expression.py`); with /i in either case
    -java -"old way"    not these
    role:user agent:claude tool:bash instance:box-1 in:api
    in:api              in the workspace of that name, or whose path ends so (workspace: is the same)
    path:src/net        in a file path given to a tool (file: is the same)
    since:2d until:2026-11-02   2d, yesterday, ISO dates; until a day means its end
                        (after: and before: are the same)
    is:starred tag:bug -tag:old  in conversations that a person marked so, or did not

`RetryBudget`, `retry_budget` and `src/net/retry.py` are the words they are made of.
"""

import re
import time
from functools import cache

import msgspec
import tantivy

from dejavu.model import Conversation, ConversationFilter, InvalidValueError, Turn
from dejavu.model.conversation_filter import FIELDS

from . import tokenize
from .expression import Expression

_MOST = 64  # words of a query that are looked at
_TERM = re.compile(r'(-?)(?:([A-Za-z]+):)?(?:"([^"]*)(?:"|$)|(\S+))')
_EXPRESSION = re.compile(r"(?<!\S)re:(?:/((?:[^/\\]|\\.)+)/(i?)(?!\S)|(?!/)(\S+))", re.DOTALL)
_ONLY_EXPRESSION = re.compile(
    r"\s*/((?:[^/\\]|\\.)*[*+?|^$\[\\](?:[^/\\]|\\.)*)/(i?)\s*", re.DOTALL
)
_STARRED = ("starred", "star")
_CONNECTIVES = frozenset(("AND", "OR"))  # other languages' way; ours needs none
_NAMED = FIELDS.keys() | {"is", "tag"}


class Word(msgspec.Struct, frozen=True):
    """Tokens that were written as one word or phrase; `prefix`: the last only begins so."""

    tokens: tuple[str, ...]
    phrase: bool = False
    prefix: bool = False
    negative: bool = False


class Query(msgspec.Struct):
    """A question: words, paths (each a sequence of tokens), and the filter of its other fields.

    `numbers` are the conversations with the marks asked for, once they are looked up.
    `unanswerable`: something was asked, and none of it can be in an index (`(((`). `notes`:
    sentences on what looked like a field and was taken for words.
    """

    words: list[Word] = []
    paths: list[tuple[str, ...]] = []
    numbers: frozenset[int] | None = None
    wanted: ConversationFilter = ConversationFilter()
    unanswerable: bool = False
    notes: list[str] = []

    @property
    def marked(self) -> tuple[str, ...]:
        """The tokens to be marked in an excerpt."""
        tokens = [token for word in self.words if not word.negative for token in word.tokens]
        return tuple(dict.fromkeys([*tokens, *(token for path in self.paths for token in path)]))

    def answers(self, content: str) -> bool:
        """Whether the text has any of the tokens asked for, as the index sees them."""
        wanted = {token for word in self.words if not word.negative for token in word.tokens}
        return not wanted or not wanted.isdisjoint(tokens(content))


@cache
def _analyzer() -> tantivy.TextAnalyzer:
    return tokenize.analyzer()


def tokens(text: str) -> tuple[str, ...]:
    """The tokens of `text`, as the index has them."""
    return tuple(_analyzer().analyze(tokenize.split_identifiers(text)))


def parse(text: str) -> Query:
    """The query in `text`; the empty one where it says nothing."""
    query = Query()
    has_terms = False
    for number, term in enumerate(_TERM.finditer(text)):
        if number >= _MOST:
            break
        minus, name, quoted, bare = term.groups()
        value = bare if quoted is None else quoted
        if name and _set_mark(query, name.lower(), value.lower(), without=bool(minus)):
            continue
        if name and (minus or not _set_field(query, name.lower(), value)):
            value = f"{name}:{value}"
        elif name:
            continue
        if value in _CONNECTIVES:
            continue
        if name and (near := _near_field(name.lower())):
            query.notes.append(f"{name}: is not a field, so its words were searched for; {near}")
        if quoted is None and value.endswith(":") and value[:-1].lower() in _NAMED:
            query.notes.append(f"{value} names nothing, so it was searched for as a word")
        has_terms = True
        prefix = quoted is None and value.endswith("*")
        made = tokens(value)
        if made:
            query.words.append(Word(made, quoted is not None, prefix, bool(minus)))
    query.unanswerable = has_terms and not query.words
    return query


def _set_mark(query: Query, name: str, value: str, *, without: bool) -> bool:
    """Take `is:starred` and `tag:NAME`; False if it is neither."""
    if name == "tag" and value:
        field = "without_tags" if without else "tags"
        tags: frozenset[str] = getattr(query.wanted, field)
        query.wanted = query.wanted.replace(**{field: tags | {value}})
        return True
    if name == "is" and value in _STARRED:
        query.wanted = query.wanted.replace(starred=not without)
        return True
    if name == "is" and value:
        query.notes.append(f"is:{value} is unknown, so its words were searched for; try is:starred")
    return False


_LISTED = "`dejavu help query` lists the fields"
_OTHER_NAMES = {
    "from": "try after:", "to": "try before:", "date": "try after:", "type": "try role: or tool:",
    "title": "`dejavu list WORD` looks in titles", "id": "`dejavu show ID` shows a conversation",
    "model": _LISTED, "branch": _LISTED,
}  # fmt: skip
"""What other programs have as fields, and what to do here."""


def _near_field(name: str) -> str:
    """What to do in place of a field `name`; empty where it is one, or like none."""
    if name in _OTHER_NAMES and name not in _NAMED:
        return _OTHER_NAMES[name]
    from difflib import get_close_matches  # of use to a misspelt field alone

    near = [] if name in _NAMED else get_close_matches(name, sorted(_NAMED), 1, 0.75)
    return f"try {near[0]}:" if near else ""


def _set_field(query: Query, name: str, value: str) -> bool:
    """Take `name:value` as a field; False if it is none, or its value says nothing."""
    kind = FIELDS.get(name)
    if kind is None or not value:
        return False
    if kind == "path":
        made = tokens(value)
        if made:
            query.paths.append(made)
        return bool(made)
    text = value.lower() if kind in ("tool", "role", "agent") else value
    try:
        query.wanted = query.wanted.with_text(name, text, time.time(), whole_days=True)
    except InvalidValueError:
        query.notes.append(
            f"{name}:{value} names no time (2d, 1mo, yesterday, 2026-11-02), so its words were "
            "searched for"
        )
        return False
    return True


def narrowed(query: Query, wanted: ConversationFilter) -> Query | None:
    """The query with what the caller asks besides it; None where the two exclude each other."""
    if wanted.tool is not None:
        wanted = wanted.replace(tool=wanted.tool.lower())
    both = query.wanted.narrowed(wanted)
    if both is None:
        return None
    query.wanted = both
    if wanted.path and (made := tokens(wanted.path)):
        query.paths.append(made)
    return query


def fits(turn: Turn, conversation: Conversation, wanted: ConversationFilter) -> bool:
    """Whether a turn is of the role, tool, path and time asked for."""
    moments = (turn.at, conversation.ended_at, conversation.started_at)
    at = next((moment for moment in moments if moment is not None), None)
    _, tools, paths = tokenize.searchable_text(turn)
    return (
        (wanted.role is None or turn.role == wanted.role)
        and (wanted.tool is None or wanted.tool.lower() in map(str.lower, tools))
        and (wanted.path is None or any(wanted.path in path for path in paths))
        and wanted.between(at)
    )


def split_expression(query: str) -> tuple[Expression | None, str]:
    """The expression of a query (`re:/.../`, `re:word`, or all of it `/.../`), and the rest.

    Raises:
        InvalidValueError: it is none, or there are several.
    """
    if whole := _ONLY_EXPRESSION.fullmatch(query):
        return Expression(whole[1], ignore_case=bool(whole[2])), ""
    terms = list(_EXPRESSION.finditer(query))
    if not terms:
        return None, query
    if len(terms) > 1:
        raise InvalidValueError("a query takes one regular expression")
    slashed, flag, bare = terms[0].groups()
    expression = Expression(slashed or bare, ignore_case=bool(flag))
    return expression, query[: terms[0].start()] + " " + query[terms[0].end() :]


def as_term(pattern: str) -> str:
    """The pattern as a term of a query."""
    return "re:/" + re.sub(r"(\\.)|/", lambda found: found[1] or r"\/", pattern) + "/"
