"""What a prompt wants: to know something, help with an error it quotes, or work done.

Work near an old subject is not about that subject, so an order needs more to be given history than a
question does. Told by the shape of English alone. Does no I/O. Costs O(text).
"""

import re
from enum import StrEnum

from dejavu.model.late_pattern import late_pattern

from ..terms import listed

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


def is_question(prompt: str) -> bool:
    """Whether a prompt asks for what may be known; an order to do something does not."""
    return kind_of(prompt) is not PromptKind.ORDER


def _orders(text: str) -> bool:
    """Whether a prompt begins with a verb that orders; "port of the panel" is no verb."""
    match = _WORD.match(text)
    return match is not None and match[0].lower() in _ORDERS and not _NOUN.match(text, match.end())
