"""Packs as text: learnt rules over a pack's own."""

from dejavu.scrapers.pack_text import merge_packs, split_pack
from dejavu.scrapers.packs import built_in_texts
from dejavu.scrapers.rules import parse_pack

_BASE = """agent = "x"
title = "X"
date = 2026-01-01

[[region]]
id = "dialog"
name = "dialog"

[[region]]
id = "input"
name = "input"
first = '^>'

[[line]]
id = "user"
kind = "user"
first = '^> '
"""


def test_a_learnt_rule_takes_the_place_of_its_id() -> None:
    merged = merge_packs(_BASE, '# why\n[[region]]\nid = "input"\nname = "input"\nfirst = \'^❯\'\n')
    pack = parse_pack(merged, "x.toml")
    assert [(rule.id, rule.first) for rule in pack.region] == [("dialog", None), ("input", "^❯")]


def test_a_new_rule_comes_before_those_it_must_win_over() -> None:
    learnt = '[[region]]\nid = "i2"\nname = "input"\nfirst = \'y\'\n'
    learnt += '[[line]]\nid = "u2"\nkind = "user"\nfirst = \'z\'\n'
    learnt += '[[state]]\nid = "s"\nstate = "idle"\nregion = "input"\n'
    pack = parse_pack(merge_packs(_BASE, learnt), "x.toml")
    assert [rule.id for rule in pack.region] == ["dialog", "i2", "input"]
    assert [rule.id for rule in pack.line] == ["u2", "user"]
    assert [rule.id for rule in pack.state] == ["s"]


def test_every_built_in_pack_is_its_tables() -> None:
    for file, text in built_in_texts().items():
        head, tables = split_pack(text)
        assert head + "".join(table.text for table in tables) == text
        pack = parse_pack(text, file)
        assert [t.id for t in tables] == [
            rule.id
            for section in dict.fromkeys(t.section for t in tables)
            for rule in getattr(pack, section)
        ] or len(tables) == sum(map(len, (pack.region, pack.column, pack.state, pack.line)))
        assert parse_pack(merge_packs(text, ""), file) == pack
