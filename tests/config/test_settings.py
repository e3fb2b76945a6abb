from pathlib import Path

import pytest

from dejavu.config.settings import Config, load_config
from dejavu.model import ConfigError


def test_missing_file_is_the_default(tmp_path: Path) -> None:
    config = load_config(tmp_path)
    assert config == Config()
    assert not config.screen_allowed("/any/where")


def test_the_nearest_folder_decides(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        '[capture]\nscreen = true\n[capture.workspaces]\n"/w" = false\n"/w/open" = true\n'
    )
    config = load_config(tmp_path)
    assert config.screen_allowed("/elsewhere")
    assert not config.screen_allowed("/w/secret")
    assert config.screen_allowed("/w/open/deep")
    assert config.screen_allowed("/wide")  # a name that only begins alike is another folder


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[capture", "not TOML"),
        ("a=" + "[" * 100_000, "not TOML"),  # 33.H2
        ("[capture]\nscrean = true\n", "screan"),
        ("x = 1\n", r"known settings: instance; \[capture\] screen, .*; \[recall\] inject"),
        ("[recal]\ninject = true\n", "no setting is called 'recal'; did you mean 'recall'"),
        ("[capture]\nscren = true\n", r"called 'scren' under \[capture\]; did you mean 'screen'"),
        ('[capture]\nscreen = "yes"\n', r"config\.toml:2: .*\$\.capture\.screen"),
        (
            '# mine\n[recall]\nstrategy = "x"\n',
            r":3: \[recall\] strategy: 'x' is not possible; use weighted, union, .* or short_circuit",
        ),
        ('recall.strategy = "x"\n', r"config\.toml:1: \[recall\] strategy: 'x'"),
        ('[report]\nterminal = "y"\n', ":2: .*use auto, always or never"),
        ('[recall]\nretrievers = [\n"it\'s"]\n', r":2: .*\"it's\" is not .*graph or embedding"),
        ("[recall.weights]\nlexical = 1.0\nwords = 1.0\n", r":3: \[recall\] weights: 'words'"),
        ("\n[[machines]]\nnick = 1\n", r"config\.toml:3: no setting is called 'nick'"),
    ],
)
def test_bad_settings_are_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(ConfigError, match=told) as caught:
        load_config(tmp_path)
    assert str(tmp_path / "config.toml") in str(caught.value)


def test_the_operators_own_command(tmp_path: Path) -> None:
    assert load_config(tmp_path).hooks.on_change == ""
    (tmp_path / "config.toml").write_text('[hooks]\non_change = "cat > /dev/null"\n')
    assert load_config(tmp_path).hooks.on_change == "cat > /dev/null"
