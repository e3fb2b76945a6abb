import pytest

from dejavu.redact import Redactor
from dejavu.scrapers import Blocked, describe, key_hints, read
from dejavu.scrapers.reports import Report
from dejavu.scrapers.situations import SituationReader
from dejavu.scrapers.state import State
from dejavu.screen import Snapshot

KEY = "sk-ant-api03-" + "A1b2C3d4E5f6G7h8" * 5 + "-abcdefAA"
CLAUDE = [
    "─" * 60, " Bash command", "", "   rm -rf /tmp/never-there?", "   Delete the folder", "",
    " Do you want to proceed?", " ❯ 1. Yes", "   2. Yes, and don't ask again for this",
    "      folder", "   3. No", "", " Esc to cancel · Tab to amend",
]  # fmt: skip


def asked(agent: str, rows: list[str], report: Report | None = None) -> Blocked:
    return describe(read(agent, Snapshot.from_rows(rows)).layout, report)


def test_question_choices_and_default_of_a_dialog():
    assert asked("claude", CLAUDE) == Blocked(
        "permission",
        "Do you want to proceed?",
        ("Yes", "Yes, and don't ask again for this", "No"),
        "Yes",
        subject="Bash command\nrm -rf /tmp/never-there?\nDelete the folder\nDo you want to proceed?",
    )


def test_a_boxed_dialog_with_radio_buttons_that_no_rule_knows():
    rows = [
        "╭" + "─" * 40 + "╮",
        "│ Allow creating file:                   │",
        "│ /home/ada/notes.md                     │",
        "│  ○ Approve [1]                         │",
        "│ ▸● Allow All for This Session [2]      │",
        "│ ↑↓ navigate • Enter select • Esc cancel│",
        "╰" + "─" * 40 + "╯",
    ]
    one = asked("generic", rows)
    assert (one.kind, one.default) == ("permission", "Allow All for This Session [2]")
    assert one.question == "Allow creating file: /home/ada/notes.md"
    assert one.choices == ("Approve [1]", "Allow All for This Session [2]")


@pytest.mark.parametrize("agent", ["kimi", "generic"])
def test_a_choice_that_takes_words_is_still_asked_about(agent: str) -> None:
    rows = [
        " " + "─" * 60, "   ▶ Write this file?", "", "   /work/a.txt", "",
        "     1. Approve once", "     2. Reject", "   ▶ 3. Reject with feedback", "",
        "   Type feedback · ↵ submit.", " " + "─" * 60, " rig-model thinking", "   context: 11% (20k)",
    ]  # fmt: skip
    reading = read(agent, Snapshot.from_rows(rows))
    assert reading.state is State.BLOCKED
    one = describe(reading.layout, None)
    assert (one.default, one.takes_text) == ("Reject with feedback", True)
    rows[8:10] = ["", "   ▲/▼ select  ↵ confirm"]
    assert not describe(read(agent, Snapshot.from_rows(rows)).layout, None).takes_text


def test_a_title_that_comes_before_its_dialog_makes_the_input_no_choices() -> None:
    rows = [
        "› run it", "", "• Working (3s • esc to interrupt)", "", "› Ask Codex to do anything", "",
        "  gpt-5 default · /work", "  ← for agents · ? for shortcuts",
    ]  # fmt: skip
    shown = Snapshot.from_rows(rows, 80, title="[ ! ] Action Required | work")
    reading = read("codex", shown)
    assert (reading.state, reading.rule) == (State.BLOCKED, "title-action")
    for report in (None, Report("program-status", State.BLOCKED, "permission", "")):
        blocked = SituationReader(None).read(State.BLOCKED, report, reading, shown).blocked
        assert blocked is not None
        assert (blocked.choices, blocked.default) == ((), None)


def test_answers_that_are_typed():
    one = asked("aider", ["Edit the files? (Y)es/(N)o [Yes]:"])
    assert one.choices == ("Yes", "No")


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([" Do you trust the files in this folder?", " ❯ 1. Yes", "   2. No"], "trust"),
        ([" Implement this plan?", " ❯ 1. Yes, implement", "   2. No, stay"], "plan"),
        ([" Select login method:", " ❯ 1. Subscription", "   2. API key"], "login"),
        ([" Select model", " ❯ 1. Default", "   2. Opus", " Enter to confirm"], "menu"),
        ([" Which colour do you like?", " ❯ 1. Red", "   2. Blue"], "question"),
        ([" Run this command?", " ❯ 1. Go", "   2. Stop"], "permission"),
    ],
)
def test_kinds(rows: list[str], kind: str):
    assert asked("generic", rows).kind == kind


def test_a_limit_says_when_it_ends():
    rows = [
        " You've hit your session limit · resets 3:45pm (Europe/Berlin)", "",
        " What do you want to do?", " ❯ 1. Stop and wait for limit to reset",
        "   2. Upgrade your plan", "", " Enter to confirm · Esc to cancel",
    ]  # fmt: skip
    one = asked("claude", ["─" * 60, *rows])
    assert (one.kind, one.resets_at) == ("limit", "3:45pm (Europe/Berlin)")


def test_reports_name_the_kind_and_speak_where_nothing_is_drawn_yet():
    composer = ["• Hello, what next?", "", "› ", "", "  gpt-5 · ~/x"]
    early = Report("program-status", State.BLOCKED, "permission", "approve Bash: rm")
    assert asked("codex", composer, early) == Blocked("permission", "approve Bash: rm")
    assert describe(None, early).question == "approve Bash: rm"
    trust = Report("program-status", State.BLOCKED, "permission", "trust this folder")
    assert describe(None, trust).kind == "trust"
    login = Report("program-status", State.BLOCKED, "auth", "")
    assert asked("claude", CLAUDE, login).kind == "login"
    drawn = Report("program-status", State.BLOCKED, "permission", "approve Bash: rm")
    assert asked("claude", CLAUDE, drawn).question == "Do you want to proceed?"


class _Failing(Redactor):
    def mask_block(self, *_: object, **__: object) -> list[str]:
        raise ValueError("no")


def test_secrets_are_masked_before_rows_are_joined_and_nothing_unjudged_is_told():
    rows = [
        "─" * 60, f" Do you want to use {KEY[:30]}", f" {KEY[30:80]}", f" {KEY[80:]} for this?",
        f" ❯ 1. Yes, {KEY[:40]}", "   2. No", " Esc to cancel",
    ]  # fmt: skip
    layout = read("claude", Snapshot.from_rows(rows, 60)).layout
    report = Report("program-status", State.BLOCKED, "permission", f"approve {KEY}")
    told = repr(describe(layout, report, mask=Redactor(b"k" * 32), columns=60))
    assert not any(KEY[at : at + 12] in told for at in range(len(KEY) - 12))
    withheld = describe(layout, None, mask=_Failing(b"k" * 32), columns=60)
    assert withheld.choices == ()
    assert "withheld" in withheld.question


@pytest.mark.parametrize("rows", [[], [""], ["│"], ["❯"], ["❯ 1. "], ["?"], ["❯ 1. a"] * 200])
def test_odd_screens_are_described(rows: list[str]):
    one = asked("generic", rows)
    assert len(one.choices) <= 20


@pytest.mark.fault("A2")
def test_a_numbered_row_with_a_key_word_is_a_choice():
    rows = ["Run this command?", "❯ 1. Yes", "  2. Yes, always", "  3. No (Esc to stop)",
            "", "↑/↓ to navigate · enter to select · esc to cancel"]  # fmt: skip
    one = asked("generic", rows)
    assert one.choices == ("Yes", "Yes, always", "No (Esc to stop)")
    assert one.keys == ()


@pytest.mark.fault("A2")
def test_keys_beside_their_choices_are_read_with_them():
    one = asked("cline", [" Cline needs permission", " Approve tool call?", "   $ make",
                          "  [y] Approve   [n] Deny"])  # fmt: skip
    assert (one.choices, one.keys, one.default) == (("Approve", "Deny"), ("y", "n"), None)
    one = asked("generic", ["> run it", "  bash  make", "  allow? [y]es / [a]lways / [n]o >"])
    assert (one.choices, one.keys) == (("yes", "always", "no"), ("y", "a", "n"))


@pytest.mark.fault("A2")
@pytest.mark.parametrize(
    "rows",
    [
        ["Run this command?", "", "  Allow once   Allow always   Reject   ⇆ select  enter confirm"],
        ["Run this command?", "", "  Yes", "  No", "", "enter to confirm"],
        ["Run this command?", "  1. Yes", "  2. No", "", "↑↓ select  enter submit"],
        ["Run this command?", "❯ 2. Yes, always", "  3. No"],
        ["Run this command?", "  [enter] Run   [esc] Leave"],
    ],
)
def test_what_is_not_read_whole_has_no_choices_and_takes_no_text(rows: list[str]):
    one = asked("generic", rows)
    assert (one.choices, one.default, one.keys, one.takes_text) == ((), None, (), False)


def test_the_rows_that_name_keys():
    rows = ["│ Run it? │", "│ Yes   No │", "│ ⇆ select │", "[y] Yes  [n] No", "Esc to cancel", "x"]
    assert key_hints(rows) == ["⇆ select", "[y] Yes [n] No", "Esc to cancel"]


def test_a_text_is_asked_for_where_there_is_a_field_and_nothing_to_choose():
    assert asked("generic", ["What is the folder's name?", "", "> "]).takes_text
    assert not asked("generic", ["Do you want to proceed?", "", "> "]).takes_text
    assert not asked("generic", ["Which one?", "", "  left   right", "", "←/→ choose"]).takes_text
    assert not asked("generic", ["Which one?", "  1. left", "  2. right", "> "]).takes_text


@pytest.mark.fault("D2")
def test_a_report_without_a_drawn_dialog_has_no_choices():
    composer = ["• Two ways:", "", "❯ 1. Run it", "  2. Leave it", "", "  gpt-5 · ~/x"]
    report = Report("program-status", State.BLOCKED, "permission", "")
    one = asked("codex", composer, report)
    assert (one.choices, one.default, one.subject, one.takes_text) == ((), None, "", False)
    layout = read("codex", Snapshot.from_rows(composer)).layout
    assert describe(layout, None, is_drawn=False).choices == (), "nor has a hook's word"
    assert describe(layout, report, is_drawn=True).choices == ("Run it", "Leave it")
    asks = Report("program-status", State.BLOCKED, "question", "")
    assert not asked("codex", ["", "> "], asks).takes_text


WAITS = [
    "  > run0036", "  - Shell ./do0036 a", "", "  > write0037", "  - WriteFile Writing to made0037a",
    "    1 made", "", "  > run0038", "  ✓ Shell ./do0038 a", "", "  ✓ Shell ./do0038 a", "",
    "  ✓ Shell ./do0038 b", "", "  ✓ Shell ./do0038 b", "", "", "  ◆︎ That is all.", "",
    "  > run0039", "  ? Shell ./do0039 a ←", "",
]  # fmt: skip


def test_what_was_said_is_no_choice_before_the_dialog_is_drawn() -> None:
    """Qwen 0.24.4 says that it waits, a frame before it draws what for."""
    reading = read(
        "qwen", Snapshot.from_rows([*WAITS, "  ⠏ Waiting for user confirmation..."], 100)
    )
    assert reading.state is State.BLOCKED
    assert describe(reading.layout, None).choices == ()


@pytest.mark.parametrize(
    "below", ["", "  Esc to cancel", "     and a word on what the last one does"]
)
def test_choices_that_no_rule_knows_are_read_where_they_are_the_last_thing_said(below: str) -> None:
    rows = [*WAITS, "  Which one is it?", "  ❯ 1. The first", "    2. The last", below]
    assert asked("generic", rows).choices == ("The first", "The last")


@pytest.mark.parametrize(
    "command", ["shutdown", "rm -rf /srv", "wipe_all", "./wipe.sh", "Zq7Lm2 -f"]
)
def test_no_command_is_hidden_below_one_with_a_secret(command: str) -> None:
    token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    first = f"   export GITHUB_TOKEN={token}"
    rows = [
        " Bash command", "", first, f"   {command}", "   make test", "",
        " Do you want to proceed?", " ❯ 1. Yes", f"   2. {'Yes, and always'.ljust(len(first) - 6, '.')}",
        "   3. No",
    ]  # fmt: skip
    layout = read("claude", Snapshot.from_rows(["─" * 100, *rows])).layout
    blocked = describe(layout, None, mask=Redactor(b"key"), columns=100)
    assert token not in blocked.subject
    shown = blocked.subject.split("\n")
    assert command in shown or f"[redacted] {command.partition(' ')[2]}" in shown


def _masked(rows: list[str], columns: int) -> tuple[Blocked, Blocked]:
    """What is asked on a screen of Claude Code's, as it is drawn and with its secrets masked."""
    layout = read("claude", Snapshot.from_rows(["● I said so.", "", "─" * columns, *rows])).layout
    plain = describe(layout, None, columns=columns)
    return plain, describe(layout, None, mask=Redactor(b"k" * 32), columns=columns)


_LONG = "56vwfh7Z5JonvYJICYXTfBKw85klNgw2lR37FNfDBneeQOqvz1xLuBHNMPem"


@pytest.mark.parametrize(
    ("first", "joint", "secret", "columns"),
    [
        ("VaIs9RWUPieGxKZtBGRwWHuahCTCwtIzvYURKFhP", " && ", "ynJarOMU4V1UGm7DM1HA7VTtSkCN", 60),
        (_LONG, " && ", "wHVFwShCvao9tAQ8RimrTGNck1LtdQ", 72),
        ("Zq8vLm2Kx9", "\n", "Zq8vLm2Kx9", 80),
    ],
)
@pytest.mark.parametrize("below", [[], [""], ["   Print it", ""]])
def test_a_masked_command_leaves_the_words_of_the_dialog(
    first: str, joint: str, secret: str, columns: int, below: list[str]
) -> None:
    command, width = f"export PASSWORD={first}{joint}mysql -p{secret} shop".split("\n"), columns - 4
    cut = [f"   {one[at : at + width]}" for one in command for at in range(0, len(one), width)]
    rows = [
        " Bash command", "", *cut, *below, " Do you want to proceed?", " ❯ 1. Yes",
        "   2. Yes, and don't ask again for this", "   3. No, and tell Claude what to do (esc)", "",
        " Esc to cancel · Tab to amend",
    ]  # fmt: skip
    plain, masked = _masked(rows, columns)
    assert (masked.question, masked.choices) == (plain.question, plain.choices)
    assert masked.subject.endswith("\nDo you want to proceed?")
    assert "mysql [redacted" in masked.subject or "mysql -p[redacted" in masked.subject
    assert secret not in masked.subject


@pytest.mark.parametrize("columns", [60, 72, 80, 100])
@pytest.mark.parametrize("above", [[], ["─" * 40]])
def test_a_mask_does_not_reach_above_the_box(columns: int, above: list[str]) -> None:
    rows = [
        " Bash command", "", "   echo g h p _ 9 3 7 8 5 4 d 6 5 4 6 5 6 e b 6", "   Print it",
        " Do you want to proceed?", " ❯ 1. Yes", "   2. Yes, and don't ask again for this",
        "   3. No, and tell Claude what to do differently (esc)", "", " Esc to cancel · Tab to amend",
    ]  # fmt: skip
    plain, masked = _masked([*above, *rows], columns)
    assert masked.subject.split("\n")[0] == "Bash command"
    assert masked.subject.count("\n") == plain.subject.count("\n")


def test_a_wrapped_choice_whose_next_row_begins_with_a_number() -> None:
    label = "Yes, and don't ask again for make commands in the folder of version"
    rows = [
        " Bash command", "", "   make", "", " Do you want to proceed?", " ❯ 1. Yes", f"   2. {label}",
        "      3. of the product", "   3. No", "", " Esc to cancel · Tab to amend",
    ]  # fmt: skip
    plain, masked = _masked(rows, len(label) + 8)
    assert plain.choices == masked.choices == ("Yes", f"{label} 3. of the product", "No")
