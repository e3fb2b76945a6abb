"""Damaging bytes: what a disk, a crash, another version or an attacker makes of a file."""

import json
import random
from typing import Any

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1e300, 10**30, 0.5, "", "x", "\ud800", "\x1b[2J", [], {}, [[]],
    [None], {"": None}, "2026-13-45T99:99:99Z", "0001-01-01T00:00:00Z", [1, "a", {}],
)  # fmt: skip
"""Values of every JSON type, some that no writer of a session file would think of."""


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    places = [path]
    if isinstance(value, dict):
        for key, item in value.items():
            places += _paths(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value[:20]):
            places += _paths(item, (*path, number))
    return places


def mutate_json(value: Any, chance: random.Random) -> Any:
    """The value with something odd at one place in it: another type, missing, or a second key."""
    path = chance.choice(_paths(value))
    if not path:
        return chance.choice(ODD)
    parent = value
    for step in path[:-1]:
        parent = parent[step]
    match chance.randrange(4):
        case 0:
            del parent[path[-1]]
        case 1 if isinstance(parent, dict):
            parent["unknown_" + str(path[-1])] = chance.choice(ODD)
        case _:
            parent[path[-1]] = chance.choice(ODD)
    return value


def mutate_document(data: bytes, chance: random.Random) -> bytes:
    """A JSON document, or one line of JSON lines, with `mutate_json` done to it."""
    lines = data.split(b"\n")
    number = chance.randrange(len(lines)) if len(lines) > 2 else 0
    try:
        value = json.loads(data if len(lines) <= 2 or data[:1] == b"[" else lines[number])
    except ValueError:
        return mutate_bytes(data, chance)
    text = json.dumps(mutate_json(value, chance)).encode("utf-8", "surrogatepass")
    if len(lines) <= 2 or data[:1] == b"[":
        return text
    lines[number] = text
    return b"\n".join(lines)


def mutate_bytes(data: bytes, chance: random.Random) -> bytes:
    """Bits flipped, stretches cut out, doubled, zeroed, moved; or the end missing."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        if not changed:
            break
        start = chance.randrange(len(changed))
        end = min(len(changed), start + chance.choice((1, 2, 16, 300, 5000)))
        match chance.randrange(7):
            case 0:
                changed[start] ^= 1 << chance.randrange(8)
            case 1:
                del changed[start:end]
            case 2:
                changed[start:start] = changed[start:end]
            case 3:
                changed[start:end] = bytes(end - start)
            case 4:
                changed[start:start] = chance.randbytes(chance.choice((1, 4, 64)))
            case 5:
                del changed[start:]
            case _:
                piece = bytes(changed[start:end])
                del changed[start:end]
                at = chance.randrange(len(changed) + 1)
                changed[at:at] = piece
    return bytes(changed)
