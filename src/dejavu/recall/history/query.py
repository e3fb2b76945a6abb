"""A question put to history: the prompt, what was on the screen before it, and what it wants.

`parse_query` returns the terms that every retriever looks by. A prompt that says nothing alone
("ok, let's do that") is read with the last lines before it. `kind_of` tells whether it asks to know
something, wants help with an error it quotes, or work done: work near an old subject is not about
that subject, so an order needs more to be given history than a question does. Told by the shape of
English alone. Does no I/O. Costs O(text).
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import msgspec

from dejavu.model.late_pattern import late_pattern

from ..terms import content_stems, entities, listed, path_suffixes, without_folders

LINES = 20  # of what was said before the prompt
_FEW = 3  # content words below which a prompt leans on what was said before
_MOST = 48  # words of a question that are looked at
_IN_PROMPT: Final = 2.0  # what a name in the prompt counts compared with one that was said before


class Query(msgspec.Struct, frozen=True):
    """`weights` by stem, `names` by entity, `files` by place.

    uses_context: it says little alone and is read with what was said before it.
    """

    text: str
    weights: dict[str, float]
    names: dict[str, float]
    files: tuple[str, ...]
    workspace: str | None = None
    uses_context: bool = False
    dropped_terms: list[str] = msgspec.field(default_factory=list[str])

    def with_hints(
        self, names: Sequence[str], paths: Sequence[str], folders: Sequence[str]
    ) -> "Query":
        """The question with names, paths and folders that another part found in it."""
        hinted_names = dict.fromkeys((name.lower() for name in names), _IN_PROMPT)
        hinted_files = [suffix for path in paths for suffix in path_suffixes(path)[:1]]
        hinted_files += [folder.strip("/").lower() + "/" for folder in folders]
        return msgspec.structs.replace(
            self,
            names={**hinted_names, **self.names},
            files=tuple(dict.fromkeys((*self.files, *hinted_files))),
        )


def parse_query(prompt: str, *, before: Sequence[str] = (), workspace: str | None = None) -> Query:
    """The question in a prompt, with the lines said before it (the last 20 count)."""
    prompt = prompt[:8_000]
    context = "\n".join(line[:400] for line in before[-LINES:])
    own = list(dict.fromkeys(content_stems(without_folders(prompt))))
    uses_context = len(own) < _FEW and bool(context.strip())
    weights = dict.fromkeys(own, 1.0)
    if uses_context:
        # The nearer a line, the more it is what "that" means.
        for age, line in enumerate(reversed(before[-LINES:])):
            for stem in content_stems(without_folders(line[:400])):
                weights.setdefault(stem, max(0.2, 0.7 - 0.1 * age))
    names = dict.fromkeys(entities(context, 24), 1.0)
    names.update(dict.fromkeys(entities(prompt, 32), _IN_PROMPT))
    touched = [name for name in entities(prompt, 32) if "/" in name or "." in name]
    return Query(
        text=prompt if not uses_context else f"{context}\n{prompt}",
        weights=dict(list(weights.items())[:_MOST]),
        names=names,
        files=tuple(
            dict.fromkeys(suffix for name in touched for suffix in path_suffixes(name)[:1])
        ),
        workspace=workspace,
        uses_context=uses_context,
    )


_LOOKED_AT = 2_000  # characters
_TOPIC = 8  # words up to which a prompt that is no order names what is to be known of


class PromptKind(StrEnum):
    """What a prompt wants."""

    QUESTION = "question"
    ERROR = "error"
    ORDER = "order"


_LEAD = re.compile(
    r"^\W*(?:(?:so|and|but|ok|okay|hey|please|now|then|also|next|well|hm+|again|just|quick question)\b\W*)+",
    re.IGNORECASE,
)
_TELLING = r"(?:tell|remind|explain|say|recall|remember|describe|summari[sz]e|know|list what)\b"
_POLITE = late_pattern(
    rf"(?:can|could|would|will) (?:you|we) (?:please |just |also )*(?!{_TELLING})", re.IGNORECASE
)
_ASKS_TO_TELL = late_pattern(
    rf"(?:(?:can|could|would|will|do) you )?(?:please )?{_TELLING}", re.IGNORECASE
)
_ORDERS = frozenset(
    listed(
        "add adjust align allow apply benchmark build bump cache center change check clean close "
        "commit configure continue convert cover create debug dedupe delete deploy design disable "
        "display document draft draw drop enable expand export expose extend extract filter find "
        "finish fix format generate give go group handle hide implement import improve increase "
        "install integrate introduce investigate let let's lets limit lint load log look make "
        "measure merge migrate mock move open optimise optimize parse pin port prepare print profile "
        "prototype publish push put rebase reduce refactor register release remove rename render "
        "reorder replace restart revert review rewrite reword rework run save send set shorten show "
        "simplify sketch sort speed split start stop store style support switch test translate try "
        "turn unify update upgrade use validate verify wire wrap write"
    )
)
_WISH = late_pattern(
    r"\b(?:please|should|must|needs? (?:a|an|to)|(?:i|we)(?:'d| would)? (?:want|like|need))\b",
    re.IGNORECASE,
)
_WH = r"(?:what|why|how|which|who|whom|whose|when|where)(?:'s|'re|'d)?\b"
_ASKS = late_pattern(
    rf"^(?:(?:since|for|on|in|at|from|by|to|until|after|before|with|about|of|under|as of) )?{_WH}|"
    r"^(?:did|does|do|is|are|was|were|has|have|had|should|can|could|may|must|will|would|isn't|aren't|"
    rf"wasn't|didn't|doesn't|don't|any(?:one|body|thing)?)\b|[,;:–-] (?:and )?{_WH}|"
    rf"\b(?:me|us|i|we|you|know|again)\W+(?:{_WH}|whether|of|about\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z']+")
_NOUN = re.compile(r" (?:of|is|was|are|were)\b")
# What programs print when they fail: a named exception, a panic, a place in a source file.
_FAULT = late_pattern(
    r"\b[A-Za-z]\w*(?:Error|Exception|Failure)\b[:( ]|\b[A-Z]\w+(?:Error|Exception|Failure)$|"
    r"\b(?:error|panic|panicked|fatal|exception|traceback|E\d{3,})\b ?(?:\[\w+\])?(?:at |: | \()|"
    r"(?i:segmentation fault|undefined reference|core dumped|stack trace|no such file|"
    r"permission denied|exit (?:code|status) \d)|\.\w{1,4}:\d+(?::\d+)?\b"
)
_FAILS = late_pattern(
    r"\b(?:cannot|can't|could not|unable to|failed to|invalid|unexpected|refused|timed out|not found)\b",
    re.IGNORECASE,
)


def kind_of(prompt: str) -> PromptKind:
    """What a prompt wants, by its words."""
    text = _LEAD.sub("", prompt[:_LOOKED_AT]).strip()
    short, orders = len(text.split()) <= _TOPIC, _orders(text)
    if (_FAULT.search(text) and not orders) or (short and _FAILS.match(text) and "?" not in text):
        return PromptKind.ERROR
    if _ASKS_TO_TELL.match(text):
        return PromptKind.QUESTION
    if _POLITE.match(text) or orders:
        return PromptKind.ORDER
    if "?" in text or _ASKS.search(text):
        return PromptKind.QUESTION
    if _FAULT.search(text) or (short and _FAILS.search(text)):
        return PromptKind.ERROR
    return PromptKind.QUESTION if short and not _WISH.search(text) else PromptKind.ORDER


def begins_question(text: str) -> bool:
    """Whether a text, or a part of one, begins as a question does: "how are branches named"."""
    return _ASKS.match(_LEAD.sub("", text[:_LOOKED_AT]).strip()) is not None


def is_question(prompt: str) -> bool:
    """Whether a prompt asks for what may be known; an order to do something does not."""
    return kind_of(prompt) is not PromptKind.ORDER


def _orders(text: str) -> bool:
    """Whether a prompt begins with a verb that orders; "port of the panel" is no verb."""
    match = _WORD.match(text)
    return match is not None and match[0].lower() in _ORDERS and not _NOUN.match(text, match.end())
