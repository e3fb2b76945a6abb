from dejavu.scrapers.blocks import Block, BlockParser
from dejavu.scrapers.packs import CompiledPack, default_packs
from dejavu.scrapers.rows import Row
from dejavu.scrapers.rules import parse_pack
from dejavu.screen import Run, Style

HEAD = 'agent = "x"\ntitle = "X"\ndate = 2026-11-21\n'
USER = '[[line]]\nid = "user"\nkind = "user"\nfirst = "^> (?P<text>.*)$"\n'
TEXT = '[[line]]\nid = "text"\nkind = "text"\nfirst = "^\\\\* (?P<text>.*)$"\n'


def parse(body: str, rows: list[Row]) -> list[Block]:
    blocks: list[Block] = []
    BlockParser(CompiledPack(parse_pack(HEAD + body, "x.toml")), blocks).feed(rows, 0)
    return blocks


def rows(*texts: str, runs: tuple[Run, ...] = ()) -> list[Row]:
    return [Row(text, False, 80, runs) for text in texts]


def said(blocks: list[Block]) -> list[tuple[str, list[str]]]:
    return [(block.kind, [content.text for content in block.contents]) for block in blocks]


def test_rows_under_a_block_go_on_while_they_are_indented():
    blocks = parse(USER + TEXT, rows("> ask", "* say", "  more", "", "  after a gap", "> next"))
    assert said(blocks) == [
        ("user", ["ask"]),
        ("text", ["say", "more", "", "after a gap"]),
        ("user", ["next"]),
    ]


def test_rows_no_rule_matches_are_of_the_default_kind():
    assert said(parse(USER, rows("> ask", "banner")))[1] == ("skip", ["banner"])
    assert said(parse('default_kind = "text"\n' + USER, rows("> ask", "words")))[1] == (
        "text",
        ["words"],
    )


def test_a_rule_may_ask_for_style():
    styled = TEXT.replace('"text"\nkind', '"t"\nkind') + 'style = { text = "italic" }\n'
    run = Run(2, 9, Style(italic=True))
    assert said(parse(styled, rows("* slant", runs=(run,)))) == [("text", ["slant"])]
    assert said(parse(styled, rows("* plain"))) == [("skip", ["* plain"])]


def test_a_rule_may_ask_what_stood_before():
    body = (
        USER
        + '[[line]]\nid = "r"\nkind = "response"\nfirst = "^= (?P<text>.*)$"\nafter = ["user"]\n'
    )
    assert said(parse(body, rows("> ask", "= yes")))[1][0] == "response"
    assert said(parse(body, rows("= yes")))[0][0] == "skip"


def test_a_rule_may_ask_how_near_it_stood():
    body = USER + '[[line]]\nid = "r"\nkind = "response"\nfirst = "^= (?P<text>.*)$"\n'
    body += 'after = ["user"]\nnear = 0\n'
    assert said(parse(body, rows("> ask", "= yes")))[1][0] == "response"
    assert said(parse(body, rows("> ask", "", "= yes")))[1][0] == "skip"


def test_a_detail_spells_out_the_call_before_it():
    body = '[[line]]\nid = "c"\nkind = "tool_call"\nfirst = "^[$] (?P<name>.*)$"\n'
    body += '[[line]]\nid = "d"\nkind = "detail"\nfirst = "^= (?P<arguments>.*)$"\n'
    body += 'after = ["c"]\n'
    (block, default_kind) = parse(body, rows("$ Shell", "= ls -1", "", "= on its own"))
    assert (block.kind, block.groups["name"], block.contents[0].text) == (
        "tool_call",
        "Shell",
        "ls -1",
    )
    assert default_kind.kind == "skip"


def test_rows_that_join_are_one_block_until_a_gap():
    body = USER + "joins = true\n"
    assert said(parse(body, rows("> one", "> two", "", "> three"))) == [
        ("user", ["one", "two"]),
        ("user", ["three"]),
    ]


def test_words_that_wrapped_before_a_clock_are_told_so():
    body = USER.replace("(?P<text>.*)$", "(?P<text>.*?) (?P<clock>[0-9:]+)$")
    (block,) = parse(body, rows("> ask this 21:00"))
    assert (block.contents[0].text, block.contents[0].row.width) == ("ask this", 10)


def test_a_wrapped_call_goes_on_only_after_a_full_row():
    body = (
        '[[line]]\nid = "c"\nkind = "tool_call"\nfirst = "^[$] (?P<arguments>.*)$"\n'
        'next = "^  (?P<text>.*)$"\nwraps = true\n'
    )
    full = "$ " + "x" * 77
    assert said(parse(body, rows(full, "  and-on")))[0][1] == ["x" * 77, "and-on"]
    assert len(parse(body, rows("$ ls", "  README"))) == 2


def test_a_fold_gives_back_what_it_hides():
    body = USER + TEXT + '[[line]]\nid = "f"\nkind = "fold"\nabsorbs = true\nfirst = "^[.]{3}"\n'
    fold = Row("... 2 messages", False, 80, folded=tuple(rows("* one", "* two")))
    assert said(parse(body, [*rows("> ask"), fold, *rows("* three")])) == [
        ("user", ["ask"]),
        ("text", ["one"]),
        ("text", ["two"]),
        ("skip", [""]),
        ("text", ["three"]),
    ]


FOLD = '[[line]]\nid = "f"\nkind = "fold"\nabsorbs = true\nfirst = "^[.]{3} (?P<name>.*)"\n'


def test_a_fold_may_take_back_some_kinds_only():
    body = USER + TEXT + FOLD + 'only = ["user"]\n'
    fold = Row("... 2 messages", False, 80, folded=tuple(rows("* one", "> two")))
    assert said(parse(body, [fold])) == [("user", ["two"]), ("skip", [""])]


def test_rows_hidden_behind_a_row_come_after_it():
    call = Row("* one", False, 80, folded=tuple(rows("* two")))
    assert said(parse(TEXT, [call, *rows("* three")])) == [
        ("text", ["one"]),
        ("text", ["two"]),
        ("text", ["three"]),
    ]


def test_a_detail_spells_out_a_fold_that_hides_nothing():
    detail = '[[line]]\nid = "d"\nkind = "detail"\nfirst = "^  [$] (?P<arguments>.*)$"\n'
    assert said(parse(FOLD + detail, rows("... 1 call", "  $ ls"))) == [("tool_call", ["ls"])]


def test_rows_repeated_on_a_new_page_are_not_said_again():
    again = [Row("* said", False, 80, repeated=True), *rows("  more", "> ask")]
    assert said(parse(USER + TEXT, [*rows("* said"), *again])) == [
        ("text", ["said", "", "", "more"]),
        ("user", ["ask"]),
    ]


def test_what_a_row_starts_wherever_it_stands():
    pack = CompiledPack(parse_pack(HEAD + USER + TEXT, "x.toml"))
    found = pack.starting_rule(*rows("* said"))
    assert found is not None
    assert found.rule.id == "text"
    assert pack.starting_rule(*rows("banner")) is None


def test_style_of_a_cell():
    row = Row("ab", False, 80, (Run(1, 2, Style(bold=True)),))
    assert (row.style_at(0).bold, row.style_at(1).bold) == (False, True)


BAR = """
[[line]]
id = "pad"
kind = "blank"
first = "^[|]$"
[[line]]
id = "user"
kind = "user"
first = "^[|] (?P<text>.*)$"
joins = true
blanks = 2
"""


def test_blank_rows_behind_a_bar_are_part_of_a_text_that_goes_on():
    drawn = rows("|", "| one", "|", "| two", "|", "|", "| three", "|", "", "|", "| another", "|")
    assert said(parse(BAR, drawn)) == [
        ("user", ["one", "", "two", "", "", "three"]),
        ("user", ["another"]),
    ]


def test_rows_that_fold_each_other_end() -> None:
    """A row may come to be attached to its own successor; reading it must not go on for ever."""
    pack = default_packs()["claude"]
    first = Row("● Bash(ls)", False, 80)
    second = Row("● Bash(pwd)", False, 80, folded=(first,))
    first.folded = (second,)
    blocks: list[Block] = []
    BlockParser(pack, blocks).feed([first], 0)
    assert blocks


def marked(rows: list[tuple[str, str]], pack: str = "demo") -> list[tuple[str, list[str]]]:
    """Blocks of rows (mark, text): kind and contents."""
    parser = BlockParser(default_packs()[pack], [])
    parser.feed([Row(text, False, 60, mark=mark) for mark, text in rows], 0)
    return [(block.kind, [content.text for content in block.contents]) for block in parser.blocks]


def test_all_of_a_marked_prompt_is_one_block_whatever_it_quotes():
    rows = [("A", ""), ("", "❯ why?"), ("", ""), ("", "● Bash(ls)"), ("", "❯ odd"), ("BC", "x")]
    assert marked([*rows, ("", "● Because.")]) == [
        ("user", ["why?", "", "● Bash(ls)", "odd", "x"]),
        ("text", ["Because."]),
    ]


def test_a_marked_answer_holds_no_prompt_and_no_call():
    rows = [("A", "● Type this:"), ("", "❯ /help"), ("", "● Bash(ls)"), ("BC", "  and wait.")]
    assert [kind for kind, _ in marked(rows)] == ["text"]
    kinds = [kind for kind, _ in marked([("", text) for _, text in rows])]
    assert kinds[:3] == ["text", "user", "tool_call"]


def test_a_block_goes_neither_into_a_marked_message_nor_out_of_it():
    rows = [("ABC", "● One."), ("", "  beside"), ("A", "  Two"), ("BC", "  goes on.")]
    blocks = marked(rows, "pi")
    assert len([contents for _, contents in blocks if "Two" in contents[0]]) == 1
    assert all("beside" not in contents for _, contents in blocks[:1])


def test_a_mark_without_an_end_says_where_a_block_begins_and_no_more():
    rows = [("A", "$ claude"), ("", "❯ why?"), ("", "● Because."), ("A", "❯ next")]
    kinds = [kind for kind, _ in marked(rows)]
    assert kinds[-3:] == ["user", "text", "user"]


def test_a_prompt_goes_on_over_rows_with_its_background():
    shade = Run(0, 40, Style(bg=237))
    prompt = rows("> ask", "", "and more", runs=(shade,))
    plain = rows("an answer nobody knows", "> next")
    assert said(parse(USER, [*prompt, *plain]))[:2] == [
        ("user", ["ask", "", "and more"]),
        ("skip", ["an answer nobody knows"]),
    ]


def test_a_text_set_in_less_than_its_rule_says_goes_on_at_its_own_column():
    deep = TEXT + "next = '^    (?P<text>.*)$'\n"
    assert said(parse(deep, rows("* say", "    a", "  more", " no more"))) == [
        ("text", ["say", "a", "more"]),
        ("skip", ["no more"]),
    ]


def test_the_row_below_a_call_that_has_a_shells_prompt_is_its_command():
    call = '[[line]]\nid = "t"\nkind = "tool_call"\nfirst = "^@ (?P<name>.*)$"\n'
    found = parse(call, rows("@ Ran a command", "  $ make test", "  $ no command"))
    assert said(found)[0][1][:2] == ["", "make test"]
    assert said(parse(call, rows("@ Ran", "", "  $ later")))[0][1] != ["", "later"]
