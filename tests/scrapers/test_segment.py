from dejavu.scrapers import default_packs, segment
from dejavu.scrapers.packs import CompiledPack
from dejavu.scrapers.rules import parse_pack
from dejavu.scrapers.segment import Segmentation
from dejavu.screen import Snapshot, Terminal

HEAD = 'agent = "x"\ntitle = "X"\ndate = 2026-11-21\n'


def pack(body: str) -> CompiledPack:
    return CompiledPack(parse_pack(HEAD + body, "x.toml"))


def names(rows: list[str], body: str, **more: object) -> list[tuple[str, int, int]]:
    layout = segment(pack(body), Snapshot.from_rows(rows, **more))  # type: ignore[arg-type]
    return [(region.name, region.top, region.bottom) for region in layout.regions]


INPUT = '[[region]]\nid = "i"\nname = "input"\nfirst = "^-+$"\nlast = "^-+$"\nslack = 2\n'


def test_a_block_is_carved_from_the_bottom_and_the_rest_is_the_transcript():
    rows = ["said", "", "---", "> x", "---", "keys", ""]
    assert names(rows, INPUT) == [("transcript", 0, 1), ("input", 2, 5), ("footer", 5, 6)]


def test_a_block_out_of_reach_of_the_edge_is_no_chrome():
    rows = ["---", "> x", "---", "one", "two", "three"]
    assert names(rows, INPUT) == [("transcript", 0, 6)]


def test_a_block_must_have_what_the_rule_says():
    asked = INPUT + 'has = ["^> "]\nlacks = ["secret"]\n'
    assert names(["---", "> x", "---"], asked) == [("input", 0, 3), ("transcript", 0, 0)]
    assert names(["---", "< x", "---"], asked) == [("transcript", 0, 3)]
    assert names(["---", "> secret", "---"], asked) == [("transcript", 0, 3)]


def test_rows_between_must_match_inner():
    body = INPUT + 'inner = "^>"\n'
    assert names(["---", "> x", "y", "---"], body) == [("transcript", 0, 4)]


def test_a_header_is_carved_from_the_top():
    body = '[[region]]\nid = "h"\nname = "header"\nedge = "top"\nfirst = "^#"\nrows = 1\n'
    assert names(["# pinned", "said"], body) == [("header", 0, 1), ("transcript", 1, 2)]


def test_a_rule_for_the_alternate_screen_waits_for_it():
    body = '[[region]]\nid = "h"\nname = "header"\nedge = "top"\nfirst = "^#"\nrows = 1\n'
    body += "alternate = true\n"
    assert names(["# pinned", "said"], body) == [("transcript", 0, 2)]
    assert names(["# pinned", "said"], body, alternate=True)[0] == ("header", 0, 1)


def test_a_scroll_bar_is_cut_off_the_transcript():
    body = '[[column]]\nid = "s"\nname = "scrollbar"\nglyphs = "█"\n'
    rows = ["said █", "你   █", "     █"]
    layout = segment(pack(body), Snapshot.from_rows(rows, 6))
    assert layout.lines == ("said", "你")
    assert [region.name for region in layout.regions] == ["transcript", "scrollbar"]


def test_a_side_bar_starts_where_its_marker_stands():
    body = '[[column]]\nid = "s"\nname = "sidebar"\nmarker = "(?<=  )(?P<edge>Context)$"\n'
    rows = ["said this  Context", "and that   105 tokens", "and more"]
    layout = segment(pack(body), Snapshot.from_rows(rows))
    assert layout.lines == ("said this", "and that", "and more")


def test_a_floating_box_is_named_and_leaves_the_rows():
    body = '[[region]]\nid = "t"\nname = "overlay"\nedge = "float"\ninner = "  (?P<box>┃ .* ┃)$"\n'
    rows = ["said     ┃       ┃", "more     ┃ toast ┃", "rest"]
    layout = segment(pack(body), Snapshot.from_rows(rows))
    (box,) = [region for region in layout.regions if region.name == "overlay"]
    assert (box.top, box.bottom, box.left, box.right) == (0, 2, 9, 18)
    assert len(layout.lines) == 3


def test_every_rule_says_why():
    layout = segment(pack(INPUT), Snapshot.from_rows(["no box here"]))
    (traces,) = layout.traces
    assert (traces.kind, traces.rule, traces.matched) == ("region", "i", False)
    assert traces.reason


def test_an_empty_screen_has_an_empty_transcript():
    layout = segment(default_packs()["claude"], Snapshot.from_rows(["", ""], 10))
    assert layout.lines == ()


def test_a_screen_is_segmented_again_only_where_a_cell_changed() -> None:
    terminal, layouts = Terminal(20, 6), Segmentation()
    known, other = pack(INPUT), pack(INPUT)
    terminal.feed(b"said\r\n---\r\n> x\r\n---")
    first = layouts.layout_of(known, terminal.snapshot())
    terminal.feed(b"\x1b]0;a title\x07\x1b[2;1H")
    assert layouts.layout_of(known, terminal.snapshot()) is first
    assert layouts.layout_of(other, terminal.snapshot()) is not first
    terminal.feed(b"\x1b[3;3Hy")
    changed = layouts.layout_of(other, terminal.snapshot())
    assert changed == segment(other, terminal.snapshot()) != first
    terminal.resize(30, 6)
    assert layouts.layout_of(other, terminal.snapshot()).transcript.right == 30
