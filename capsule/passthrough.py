"""Sequences wrapped for the terminal outside a multiplexer, and taken out of their wrapping.

tmux passes on what is inside `ESC P tmux ; ... ST`, with each ESC doubled, where `allow-passthrough` is on.
GNU screen passes on what is inside `ESC P ... ST`; an ST inside would end it, so BEL ends the OSC.
Says nothing about when to wrap. Cost: one copy a layer.

Tested in: tests/capsule/test_outer_reports.py
"""

from __future__ import annotations

SCREEN_LIMIT = 700  # bytes: what GNU screen passes on of one string
_TMUX, _DCS, _ST = b"\x1bPtmux;", b"\x1bP", b"\x1b\\"
_DEEPEST = 4


def wrapped(data: bytes, layers: tuple[str, ...]) -> bytes:
    """Wrap OSC sequences for `layers`, the innermost multiplexer first; `screen` may only come last."""
    for layer in reversed(layers):
        if layer == "tmux":
            data = _TMUX + data.replace(b"\x1b", b"\x1b\x1b") + _ST
        else:
            data = _DCS + data.replace(_ST, b"\x07") + _ST
    return data


def unwrapped(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return the sequences inside `data`, ended by ST, and the layers; no layers where none is whole."""
    layers: list[str] = []
    while data.startswith(_DCS) and data.endswith(_ST) and len(layers) < _DEEPEST:
        if data.startswith(_TMUX):
            body = data[len(_TMUX) : -len(_ST)]
            if b"\x1b" in body.replace(b"\x1b\x1b", b""):
                break
            data, layer = body.replace(b"\x1b\x1b", b"\x1b"), "tmux"
        else:
            body = data[len(_DCS) : -len(_ST)]
            if _ST in body or len(body) > SCREEN_LIMIT:
                break
            data, layer = body.replace(b"\x07", _ST), "screen"
        layers.append(layer)
    return data, tuple(layers)
