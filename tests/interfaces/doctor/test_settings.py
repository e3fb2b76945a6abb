from pathlib import Path

from dejavu.config.paths import config_home, private_folder
from dejavu.interfaces.doctor.finding import Severity
from dejavu.interfaces.doctor.installation import packs, settings


def test_broken_settings_and_packs_are_named(home: Path) -> None:
    folder = private_folder(config_home())
    (folder / "config.toml").write_text("[capture]\nscrean = 1\n")
    private_folder(folder / "packs").joinpath("amp.toml").write_text("x = 1\n")
    (setting,) = settings()
    (pack,) = packs()
    assert (setting.severity, pack.severity) == (Severity.ERROR, Severity.ERROR)
    assert "screan" in setting.message
    assert "amp.toml" in pack.message


def test_screen_consent_is_told(home: Path) -> None:
    (private_folder(config_home()) / "config.toml").write_text("[capture]\nscreen = true\n")
    (setting,) = settings()
    assert "is kept, redacted" in setting.message
