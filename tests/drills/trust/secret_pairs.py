"""Attack: a secret without a prefix of its own, next to the id that it belongs to, in every export.

Pairs of many vendors, in ways of pasting drawn from two lists: one was looked at while the rules were
written, the other was not (`HELD_OUT`). The secret is in a block of a turn; the export is drawn, too.
"""

import random
import string
from collections.abc import Callable

from dejavu.interfaces.export_formats import WRITERS
from dejavu.model import Conversation, Role, Text, Turn
from dejavu.redact import Redactor
from dejavu.redact.conversation import redact_conversation

from ..budget import Budget
from . import Tally

ANGLE, FINDINGS = "secrets beside their ids", ("h1",)

_LETTERS = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_UPPER = string.ascii_uppercase + string.digits
_BASE64 = _LETTERS + "+/"
Chance = random.Random


def _run(alphabet: str, count: int) -> Callable[[Chance], str]:
    return lambda chance: "".join(chance.choices(alphabet, k=count))


def _after(prefix: str, alphabet: str, count: int) -> Callable[[Chance], str]:
    return lambda chance: prefix + "".join(chance.choices(alphabet, k=count))


PAIRS = {
    "AWS": (_after("AKIA", _UPPER, 16), _run(_BASE64, 40)),
    "AWS temporary": (_after("ASIA", _UPPER, 16), _run(_BASE64, 40)),
    "AWS SES": (_after("AKIA", _UPPER, 16), _run(_BASE64, 44)),
    "Twilio": (_after("AC", _HEX, 32), _run(_HEX, 32)),
    "Twilio key": (_after("SK", _HEX, 32), _run(_LETTERS, 32)),
    "Alibaba": (_after("LTAI5t", _LETTERS, 18), _run(_LETTERS, 30)),
    "Tencent": (_after("AKID", _LETTERS, 32), _run(_LETTERS, 32)),
    "Razorpay": (_after("rzp_live_", _LETTERS, 14), _run(_LETTERS, 24)),
    "GitHub app": (_after("Iv1.", _HEX, 16), _run(_HEX, 40)),
    "Okta": (_after("0oa", _LETTERS, 17), _run(_LETTERS + "_-", 40)),
    "Spaces": (_after("DO00", _UPPER, 16), _run(_BASE64, 43)),
    "Exoscale": (_after("EXO", _HEX, 24), _run(_LETTERS + "_-", 43)),
    "Google HMAC": (_after("GOOG1E", _UPPER, 55), _run(_BASE64, 40)),
    "Zoho": (_after("1000.", _UPPER, 30), _run(_HEX, 42)),
    "Duo": (_after("DI", _UPPER, 18), _run(_LETTERS, 40)),
}
SEEN = (
    "{id} / {secret}", "{id} {secret}", "key {id}, secret {secret}", "{id}\n{secret}", "{secret}\n{id}",
    "user,id,key\nbob,{id},{secret}", '{{"a": "{id}", "b": "{secret}"}}', "{id}:{secret}",
)  # fmt: skip
HELD_OUT = (
    "a: {id}\nb: {secret}", "[default]\nregion = x\none = {id}\ntwo = {secret}", "{secret} belongs to {id}.",
    "| {id} | {secret} |", "{id}\t{secret}\tactive", "export A={id} B={secret}", "-a {id} -b '{secret}'",
    "<id>{id}</id>\n<value>{secret}</value>", "use ({id}, {secret}) for it", "* `{id}`\n* `{secret}`",
    "{id};{secret};", "first {id}\n\nand then {secret}\n", '  - "{id}"\n  - "{secret}"', "id={id}&sig={secret}",
)  # fmt: skip
_REDACT = Redactor(b"drill").redact
PIECE = 10
"""Characters in a row of a secret that no output may have."""


def shows(secret: str, output: str) -> bool:
    """Whether a piece of a secret stands in an output."""
    piece = min(PIECE, len(secret))
    return any(secret[at : at + piece] in output for at in range(len(secret) - piece + 1))


def falls(chance: Chance, layouts: tuple[str, ...]) -> str:
    """Try one pasting; return what fell, or an empty text."""
    vendor, layout = chance.choice(sorted(PAIRS)), chance.choice(layouts)
    form = chance.choice(sorted(WRITERS))
    known, secret = (make(chance) for make in PAIRS[vendor])
    turn = Turn(role=Role.USER, parts=(Text(layout.format(id=known, secret=secret)),), at=1.7e9)
    whole = Conversation(id="1", agent="claude", native_id="1").with_turns((turn,))
    output = b"".join(WRITERS[form](redact_conversation(whole, _REDACT))).decode()
    return f"{vendor} as {layout!r} in {form}" if shows(secret, output) else ""


def attack(budget: Budget, tally: Tally) -> None:
    """Paste pairs, half of them in ways that were held out."""
    while budget.more():
        layouts = budget.random.choice((SEEN, HELD_OUT))
        fell = falls(budget.random, layouts)
        tally.record(not fell, f"{fell}, seed {budget.seed}")
