"""Labels of frames by a trace, and what a pack reads on them."""

from dejavu.model import Role, Text, Turn
from dejavu.scrapers import default_packs
from dejavu.scrapers.labelled_screens import LabelledScreen, ScreenSampler, evaluate
from dejavu.scrapers.learn import propose, try_out
from dejavu.scrapers.packs import built_in_texts
from dejavu.screen import Snapshot

_RULE = "─" * 60


def screen(
    number: int, *, busy: bool, user: str = "❯", text: str = "●", work: str = "✻"
) -> Snapshot:
    """Claude Code's screen, with these signs."""
    rows = [f"{user} What is number {number} good for?", ""]
    if busy:
        rows += [f"{work} Pondering… (3s · esc to interrupt)", ""]
    else:
        rows += [f"{text} It is good for counting to {number} and on.", ""]
    return Snapshot.from_rows([*rows, _RULE, f"{user} ", _RULE, "  ? for shortcuts"], 60)


def labelled(count: int, **signs: str) -> list[LabelledScreen]:
    """Screens of one session, at work and idle in turn."""
    screens: list[LabelledScreen] = []
    for number in range(10, 10 + count):
        user = (Role.USER, f"What is number {number} good for?")
        answer = (Role.ASSISTANT, f"It is good for counting to **{number}** and on.")
        screens.append(LabelledScreen(screen(number, busy=True, **signs), "busy", (user,)))
        screens.append(LabelledScreen(screen(number, busy=False, **signs), "idle", (user, answer)))
    return screens


def test_frames_are_labelled_by_the_moments_of_the_trace() -> None:
    sampler = ScreenSampler()
    for at in (10.2, 12.0, 14.0, 19.9, 20.5, 23.0, 29.9):
        assert sampler.wants(at)
        sampler.sample(at, screen(1, busy=at < 20))
        assert not sampler.wants(at + 0.1)
    exchange = [
        Turn(role=Role.USER, at=10.0, parts=(Text("What is number 1 good for?"),)),
        Turn(role=Role.ASSISTANT, at=20.0, parts=(Text("It is good for counting to 1 and on."),)),
    ]
    sampler.label(exchange, 30.0)
    assert [entry.state for entry in sampler.screens] == ["busy", "busy", "idle"]
    agreement = evaluate(default_packs()["claude"], sampler.screens)
    assert (agreement.of_text, agreement.of_states) == (1.0, 1.0)


def test_an_exchange_that_was_not_answered_shows_no_idle_screen() -> None:
    sampler = ScreenSampler()
    sampler.sample(15.0, screen(1, busy=False))
    sampler.label([Turn(role=Role.USER, at=10.0, parts=(Text("What?"),))], 30.0)
    assert not sampler.screens


def test_signs_of_a_release_are_learnt_and_hold_on_another_session() -> None:
    signs = {"user": "▶", "text": "◇", "work": "▚"}
    base = built_in_texts()["claude.toml"]
    trial = try_out(base, [labelled(4, **signs), labelled(3, **signs)])
    assert trial.holds
    assert (trial.after.of_text, trial.after.of_states) == (1.0, 1.0)
    assert (trial.before.of_text or 0.0) < 0.5
    toml = trial.proposal.to_toml()
    assert "screens of 1 sessions" in toml
    assert "◇ It is good for counting to 10 and on." in toml


def test_what_reads_well_gets_no_proposal() -> None:
    assert propose(built_in_texts()["claude.toml"], [labelled(3)]).changes == ()


def test_what_does_not_hold_on_the_other_half_is_told() -> None:
    base = built_in_texts()["claude.toml"]
    signs = {"user": "▶", "text": "◇", "work": "▚"}
    # The other session is drawn as today: nothing of what was learnt makes it any better.
    assert not try_out(base, [labelled(4, **signs), labelled(4)]).holds
