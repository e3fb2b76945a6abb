"""Strategies for Hypothesis: what terminals get, in any cuts, and what people press.

    from hypothesis import given
    from . import strategies

    @given(strategies.cuts(strategies.streams()))
    def test_cuts_never_matter(pieces):
        assert drawn(*pieces) == drawn(b"".join(pieces))

Imports hypothesis, which no extra of this distribution brings.

Tested in: tests/extensions/testing/test_rendering.py
"""

from hypothesis import strategies as st

from dejavu.screen.keys import NAMES

_TEXT = [
    "plain",
    "two words",
    "日本語",
    "e\u0301",
    "⚠️",
    "🧑‍💻",
    "a\u200bb",
    "│─╭",
    "\U0010ffff",
    "🇩🇪",
]
_CONTROLS = ["\r\n", "\n", "\r", "\t", "\b", "\x07", "\x0e", "\x0f", "\x18", "\x1a", "\x00", "\x7f"]
_ESCAPES = [f"\x1b{c}" for c in "78DEHMcno=>\\"] + ["\x1b#8", "\x1b(0", "\x1b(B", "\x1b)A", "\x1b"]
_STYLES = [
    "\x1b[31m",
    "\x1b[0;1;4:3m",
    "\x1b[38;2;1;2;3;48;5;9m",
    "\x1b[58:2::1:2:3m",
    "\x1b[m",
    "\x1b]8;;https://example.org\x1b\\",
    "\x1b]8;;\x07",
    "\x1b[44m",
    "\x1b[7;9;53m",
]
_STRINGS = [
    "\x1b]0;title\x07",
    "\x1bP+q544e\x1b\\",
    "\x1b_apc\x1b\\",
    "\x1b]9;4;1;50\x07",
    "\x1b]52;c;",
]
_QUERIES = [
    "\x1b[c",
    "\x1b[>c",
    "\x1b[6n",
    "\x1b[?u",
    "\x1b[?2026$p",
    "\x1b]11;?\x07",
    "\x1bP$qm\x1b\\",
]
_MODES = ["4", "20", "?6", "?7", "?25", "?47", "?1048", "?1049", "?2026", "?2004", "?1;1000"]
_FINALS = "@ABCDEFGHIJKLMPSTXZ`abdefgnrsu"


def _sequences() -> st.SearchStrategy[str]:
    number = st.sampled_from(["", "0", "1", "2", "3", "7", "40", "99999", "4:3"])
    parameters = st.lists(number, max_size=3).map(";".join)
    modes = st.tuples(st.sampled_from(_MODES), st.sampled_from("hl"))
    junk = st.sampled_from(["", "\n", "\x18", "?", " ", "!", "é", "\x1b"])
    return st.one_of(
        st.builds("\x1b[{}{}".format, parameters, st.sampled_from(_FINALS)),
        modes.map(lambda mode: f"\x1b[{mode[0]}{mode[1]}"),
        st.builds("\x1b[{}{}{}".format, parameters, junk, st.sampled_from(_FINALS + "mhlpqu")),
    )


def streams(*, max_pieces: int = 40) -> st.SearchStrategy[bytes]:
    """Byte streams such as a hostile or half-broken program writes: text, controls, rubbish."""
    piece = st.one_of(
        st.sampled_from(_TEXT + _CONTROLS + _ESCAPES + _STYLES + _STRINGS + _QUERIES),
        _sequences(),
        st.text(max_size=6),
    )
    readable = st.lists(piece, max_size=max_pieces).map(
        lambda parts: "".join(parts).encode("utf-8", "ignore")
    )
    return st.one_of(readable, st.binary(max_size=200))


def cuts(
    data: bytes | st.SearchStrategy[bytes], *, max_cuts: int = 8
) -> st.SearchStrategy[tuple[bytes, ...]]:
    """The pieces of `data`, cut anywhere, within characters and sequences too; some are empty.

    Together they are `data`. It shrinks towards no cut at all.
    """
    source = st.just(data) if isinstance(data, bytes) else data

    def cut(stream: bytes) -> st.SearchStrategy[tuple[bytes, ...]]:
        places = st.lists(st.integers(0, len(stream)), max_size=max_cuts).map(sorted)
        return places.map(
            lambda at: tuple(
                stream[start:end] for start, end in zip([0, *at], [*at, len(stream)], strict=True)
            )
        )

    return source.flatmap(cut)


def keys() -> st.SearchStrategy[str]:
    """Names of keys that `Program.press` takes, without those that suspend or end most programs."""
    letters = st.characters(codec="ascii", categories=["L", "N"])
    named = st.sampled_from([*NAMES, *(f"Ctrl+{name}" for name in ("Up", "Down", "Left", "Right"))])
    return st.one_of(
        named, letters, st.sampled_from(["Shift+Tab", "Alt+Enter", "Ctrl+A", "Ctrl+E"])
    )
