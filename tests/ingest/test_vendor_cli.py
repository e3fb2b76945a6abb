"""Asking an agent's own program: imported as its files are, and only when asked."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.providers.amp.test_cli_export import ONE, Amp


@pytest.fixture
def amp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Amp:
    amp = Amp(tmp_path / "amp")
    monkeypatch.setenv("PATH", str(amp.root), prepend=":")
    return amp


@pytest.mark.usefixtures("home")
class TestAsking:
    def test_nobody_is_asked_by_default(self, dejavu: Callable[..., Result], amp: Amp) -> None:
        amp.put(ONE, "2026-11-01T10:00:00Z", "go")
        assert dejavu("sync", "--agent", "amp", "--json").json["conversations"] == []
        assert not (amp.root / "log").exists()

    def test_what_the_program_gives_is_archived(
        self, dejavu: Callable[..., Result], amp: Amp
    ) -> None:
        raw = amp.put(ONE, "2026-11-01T10:00:00Z", "go")
        assert len(dejavu("sync", "--ask", "amp", "--json").json["conversations"]) == 1
        shown = dejavu("show", "last", "--json").json
        assert (shown["native_id"], shown["vectors"]) == (ONE, ["native"])
        assert dejavu("export", "last", "--format", "raw").out.encode() == raw
        assert dejavu("sync", "--ask", "amp", "--json").json["read"] == 0
        assert [line for line in amp.log if "export" in line] == [f"threads export {ONE}"]
        dejavu("reparse")
        assert dejavu("show", "last", "--json").json["turns"] == shown["turns"]

    def test_consent_may_stand_in_the_settings(
        self, dejavu: Callable[..., Result], amp: Amp, home: Path
    ) -> None:
        amp.put(ONE, "2026-11-01T10:00:00Z", "go")
        settings = home / ".config" / "dejavu" / "config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text('[sync]\nask = ["amp"]\n')
        assert dejavu("sync", "--agent", "claude", "--json").json["conversations"] == []
        (home / "restored").mkdir()
        dejavu("sync", "--home", str(home / "restored"))
        assert not (amp.root / "log").exists()
        assert len(dejavu("sync", "--json").json["conversations"]) == 1
        settings.write_text('[sync]\nask = ["claude"]\n')
        assert dejavu("sync").code == 2

    def test_a_program_that_gives_nothing_is_said_to(
        self, dejavu: Callable[..., Result], amp: Amp
    ) -> None:
        amp.mode("out")
        done = dejavu("sync", "--ask", "amp")
        assert done.code == 1
        assert "you are logged out" in done.err

    @pytest.mark.parametrize("more", [["--watch"], ["--home", "/"]])
    def test_asking_is_for_ones_own_login_and_once(
        self, dejavu: Callable[..., Result], more: list[str]
    ) -> None:
        assert dejavu("sync", "--ask", "amp", *more).code == 2
        assert dejavu("sync", "--ask", "claude").code == 2
