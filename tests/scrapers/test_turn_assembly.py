from dejavu.scrapers import segment
from dejavu.scrapers.packs import CompiledPack
from dejavu.scrapers.rules import parse_pack
from dejavu.scrapers.secret_rows import SecretRows
from dejavu.scrapers.turn_assembly import DialogCommands
from dejavu.screen import Snapshot

PACK = """
agent = "x"
title = "X"
date = 2026-11-21
dialog_command = '^[│ ]*[$] (?P<text>.*?)[│ ]*$'
[[region]]
id = "d"
name = "dialog"
first = "^(Allow|╭)"
rows = 20
"""


def asked(*rows: str) -> DialogCommands:
    pack = CompiledPack(parse_pack(PACK, "x.toml"))
    noted = DialogCommands(pack, SecretRows(None))
    noted.observe(segment(pack, Snapshot.from_rows(rows)))
    return noted


def test_a_call_that_was_cut_short_is_completed():
    noted = asked("Allow this?", " $ make all && make install", "", "1. Yes                     ")
    assert noted.complete("make all && …") == "make all && make install"


def test_what_no_dialog_showed_stays_as_it_is():
    noted = asked("Allow this?", " $ make all", "", "1. Yes")
    assert noted.complete("make clean…") == "make clean…"
    assert noted.complete("make") == "make"
    assert noted.complete("…") == "…"


def test_rows_in_a_box_are_joined_where_the_box_made_them_wrap():
    noted = asked(
        "╭──────────────────────╮",
        "│ $ echo one two three │",
        "│   four               │",
        "│                      │",
        "│ 1. Yes               │",
        "╰──────────────────────╯",
    )
    assert noted.complete("echo one…") == "echo one two three four"
