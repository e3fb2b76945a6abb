import pytest

from dejavu.model import RulePackError
from dejavu.scrapers.rules import Pack, parse_pack

HEAD = 'agent = "x"\ntitle = "X"\ndate = 2026-11-21\n'


def test_a_pack_may_be_its_head_alone():
    pack = parse_pack(HEAD, "x.toml")
    assert isinstance(pack, Pack)
    assert pack.region == ()


def test_every_key_of_a_rule_is_read():
    text = (
        HEAD + '[[state]]\nid = "a"\nstate = "idle"\nregion = "input"\nnot = ["x"]\npriority = 3\n'
    )
    (rule,) = parse_pack(text, "x.toml").state
    assert (rule.not_, rule.priority, str(rule.state)) == (("x",), 3, "idle")


@pytest.mark.parametrize(
    ("body", "line", "word"),
    [
        ('[[state]]\nid = "a"\nstate = "idle"\nregion = "input"\nforbids = ["x"]\n', 8, "forbids"),
        ('[[state]]\nid = "a"\nstate = "sleepy"\nregion = "input"\n', 6, "sleepy"),
        ('[[region]]\nid = "a"\nname = "kitchen"\n', 6, "kitchen"),
        ('[[line]]\nid = "a"\nkind = "text"\nfirst = "("\n', 4, "regular expression"),
        ('[[line]]\nid = "a"\nkind = "text"\n', 4, "first"),
        ('[[state]]\nid = "a"\nregion = "input"\n', 4, "hold"),
        (
            '[[column]]\nid = "a"\nname = "scrollbar"\n[[column]]\nid = "a"\nname = "sidebar"\n',
            7,
            "twice",
        ),
    ],
)
def test_a_fault_names_file_line_and_cure(body: str, line: int, word: str):
    with pytest.raises(RulePackError) as caught:
        parse_pack(HEAD + body, "mine.toml")
    assert f"mine.toml, line {line}" in str(caught.value)
    assert word in str(caught.value)


def test_what_is_not_toml_names_the_place():
    with pytest.raises(RulePackError, match=r"x\.toml: not TOML: .*line 2"):
        parse_pack("agent = 'x'\ntitle =\n", "x.toml")
