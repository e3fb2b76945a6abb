"""Texts that tell a model what to do: a record that does nothing else is not put before a prompt.

A fence says that what is quoted is data; it does not make a model obey that. So a text most of
whose sentences give orders to its reader is left out. Believed are orders about the reader's
own instructions, role, secrecy or tools, in English; advice ("run the tests with -race") has none
of these and stays. Other languages and other words pass: this lowers what a poisoned record can do
and does not end it. Does no I/O. Costs O(text).

Tested in: tests/recall/test_poison.py
"""

import re

from dejavu.model.late_pattern import late_pattern

_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n+")
_RULES = (
    r"(?:instructions?|rules?|prompts?|guidelines?|polic(?:y|ies)|directives?|constraints?|"
    r"restrictions?|safeguards?)"
)
_READER = r"(?:you|assistant|ai|agent|model|claude|codex|gpt|gemini|copilot|llm)"
_VALUABLE = (
    r"(?:(?:api |access |private |ssh )?(?:keys?|tokens?)|secrets?|passwords?|credentials?|"
    r"environment(?: variables?)?|env(?: file| vars?)?|\.env\S*|id_rsa\S*|cookies?)"
)
_GIVE = (
    r"(?:send|post|upload|mail|e-?mail|forward|exfiltrate|leak|print|reveal|dump|paste|copy|submit|"
    r"transmit|cat|curl|include|append|output|share|publish)"
)
_PATTERNS = (
    # against the reader's own rules
    rf"\b(?:ignore|disregard|forget|override|bypass|drop|discard|skip)\b.{{0,40}}\b{_RULES}\b",
    (
        r"\b(?:ignore|disregard|forget)\b.{0,20}\b(?:everything|all|anything|what)\b.{0,20}\b"
        r"(?:above|before|previous|prior|told|said|earlier)"
    ),
    (
        r"\b(?:new|updated|real|actual|hidden|secret|system|override|priority|important|urgent)\b"
        rf".{{0,20}}\b{_RULES}\b\s*(?::|follow|apply|say)"
    ),
    (
        r"\b(?:obey|comply with|follow)\b.{0,30}\b"
        r"(?:me|this|these|the following|below|following|text|message|page|file)\b"
    ),
    # on who the reader is and what it is to do
    (
        rf"\b{_READER}\b.{{0,12}}\b(?:must|should|shall|will|have to|need to|"
        r"are (?:now|required|ordered|instructed)|is (?:now|required))\b"
    ),
    (
        r"\b(?:you are|act as|pretend to be|roleplay as|behave as|from now on)\b.{0,60}\b"
        r"(?:unrestricted|root|admin\w*|developer mode|dan|jailbr\w+|obey|comply|always|never|only|"
        r"no (?:limits|rules|restrictions|filter))\b"
    ),
    (
        r"\byour (?:new|real|true|only|first|next|actual)\b.{0,15}\b"
        r"(?:task|goal|job|purpose|mission|role|objective|owner|master|user)\b"
    ),
    (
        r"^\W*(?:system|assistant|developer|admin(?:istrator)?|operator)\s*"
        r"(?:message|note|prompt|override)?\s*[:>\]]"
    ),
    r"<\s*/?\s*(?:system|instructions?|im_start|im_end|user|assistant|tool_call|function_call)\b",
    r"\[/?(?:inst|sys(?:tem)?)\]|<\|[a-z_]+\|>",
    # secrecy, consent and protection
    (
        r"\b(?:do not|don't|never|without)\b.{0,30}\b(?:tell|mention|inform|notify|show|reveal|ask|"
        r"warn)(?:ing)?\b.{0,30}\b"
        r"(?:user|human|person|anyone|anybody|operator|owner|developer|permission|confirmation|this)\b"
    ),
    (
        r"\b(?:approve|allow|accept|confirm|grant|auto-?approve|say yes to)\b.{0,30}\b"
        r"(?:all|every|any|everything|without)\b"
    ),
    (
        r"\b(?:disable|turn off|switch off|deactivate|remove)\b.{0,40}\b(?:sandbox|safety|guard\w*|"
        r"permission\w*|confirmation\w*|verification|hooks?|antivirus|firewall|logging|audit\w*)\b"
    ),
    # what leaves the machine, and what is run on it
    rf"\b{_GIVE}\b.{{0,50}}\b{_VALUABLE}",
    rf"{_VALUABLE}.{{0,40}}\b(?:to|at|into)\b.{{0,12}}\bhttps?://",
    r"\b(?:curl|wget|fetch|iwr|invoke-webrequest)\b.{0,120}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b",
    (
        r"\b(?:run|execute|call|invoke|type|eval(?:uate)?)\b.{0,60}(?:rm\s+-rf|\bsudo\b|\bcurl\b|"
        r"\bwget\b|base64\s+-d|\bnc\s|git push\s+(?:-f|--force)|chmod\s+(?:777|\+s)|authorized_keys)"
    ),
    r"\b(?:rm\s+-rf\s+[/~]|:\(\)\s*\{|mkfs\.|dd\s+if=)",
)
_ORDER = late_pattern("|".join(_PATTERNS), re.IGNORECASE)
_LONGEST = 8_000  # characters that are looked at
_ODD = late_pattern(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")


def only_instructs(text: str) -> bool:
    """Whether at least half of what a text says, by length, are orders to its reader."""
    plain = _ODD.sub("", text[:_LONGEST])
    sentences = [part.strip() for part in _SENTENCE.split(plain) if len(part.strip()) > 3]
    orders = sum(len(sentence) for sentence in sentences if _ORDER.search(sentence))
    # An order may run over what is taken for the end of a sentence ("SYSTEM: do it").
    if not orders and _ORDER.search(" ".join(sentences)):
        orders = sum(map(len, sentences)) // 2 + 1 if len(sentences) <= 3 else 0
    return orders > 0 and 2 * orders >= sum(map(len, sentences))
