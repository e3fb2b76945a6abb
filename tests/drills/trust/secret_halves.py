"""Attack: a secret split over blocks, strings, turns and reads, in every export.

A vendor's token or a private key is cut in two to five pieces; each is a block of one turn, a string of
a JSON value, a turn, or a read of a file whose lines have numbers. No ten characters may come out.
"""

import base64
import random
from typing import Any

from benchmarks.redact.formats import FORMATS, draw

from dejavu.interfaces.export_formats import WRITERS
from dejavu.model import Conversation, Part, Role, Text, ToolCall, ToolCallResponse, Turn
from dejavu.redact import Redactor
from dejavu.redact.conversation import redact_conversation

from ..budget import Budget
from . import Tally
from .secret_pairs import shows

ANGLE, FINDINGS = "secrets in pieces", ("M-halves",)
_REDACT = Redactor(b"drill").redact
_BARE = [template for _, template in FORMATS if "«" not in template]
_NUMBERS = ("", "{n:6}\t", "{n:5}→", "{n}: ", "+")


def _token(chance: random.Random) -> tuple[str, list[str]]:
    """Return a token that a rule knows whole, and its pieces."""
    while True:
        text, start, end = draw(chance.choice(_BARE), chance)
        secret = text[start:end]
        if (
            len(secret) >= 24
            and "\n" not in secret
            and _REDACT(f" {secret} ").startswith(" [redacted:")
        ):
            break
    cuts = sorted(chance.sample(range(4, len(secret) - 4), chance.randint(1, 3)))
    return secret, [secret[a:b] for a, b in zip([0, *cuts], [*cuts, len(secret)], strict=True)]


def _key(chance: random.Random) -> tuple[str, list[str]]:
    """Return the body of a private key without line ends, and the key in pieces of whole lines."""
    body = base64.b64encode(chance.randbytes(chance.choice((300, 600, 1200)))).decode()
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    lines = ["-----BEGIN RSA " + "PRIVATE KEY-----", *lines, "-----END RSA " + "PRIVATE KEY-----"]
    before = chance.choice(_NUMBERS)
    shown = [before.format(n=n) + line for n, line in enumerate(lines, 1)]
    cuts = sorted(chance.sample(range(2, len(lines) - 1), chance.randint(1, 2)))
    ends = zip([0, *cuts], [*cuts, len(lines)], strict=True)
    return body, ["\n".join(shown[a:b]) for a, b in ends]


def _placed(chance: random.Random, pieces: list[str]) -> tuple[str, list[Turn]]:
    place = chance.choice(("blocks", "strings", "turns", "reads"))
    if place == "blocks":
        return place, [_turn(*map(Text, pieces))]
    if place == "strings":
        value: Any = chance.choice((list(pieces), {"stdout": {"chunks": pieces}, "code": 0}))
        return place, [_turn(ToolCallResponse("1", value))]
    if place == "turns":
        return place, [_turn(Text(piece)) for piece in pieces]
    turns = []
    for number, piece in enumerate(pieces):
        turns.append(
            _turn(ToolCall(str(number), "Read", {"file_path": "/w/file", "offset": number}))
        )
        turns.append(_turn(ToolCallResponse(str(number), piece)))
    return place, turns


def _turn(*parts: Part) -> Turn:
    return Turn(role=Role.ASSISTANT, parts=parts, at=1.7e9)


def attack(budget: Budget, tally: Tally) -> None:
    """Split secrets."""
    chance = budget.random
    while budget.more():
        kind = chance.choice(("token", "key"))
        secret, pieces = _token(chance) if kind == "token" else _key(chance)
        place, turns = _placed(chance, pieces)
        if kind == "token" and place == "reads":
            continue  # what is between the reads is between the halves of a word
        whole = Conversation(id="1", agent="claude", native_id="1").with_turns(turns)
        form = chance.choice(sorted(WRITERS))
        output = b"".join(WRITERS[form](redact_conversation(whole, _REDACT))).decode()
        where = f"{kind} of {len(pieces)} pieces in {place}, {form}"
        tally.record(not shows(secret, output), f"{where}: {pieces[0][:12]}..., seed {budget.seed}")
