"""The model: only the file we know, and nothing where a package is missing."""

import math
from pathlib import Path

import pytest

from dejavu.model import ConfigError
from dejavu.recall.history import minilm


def test_a_package_that_is_not_there_ships_nothing() -> None:
    assert minilm._shipped("no_such_package_of_anyone", "model.onnx") is None
    found = minilm._shipped("pytest", "__init__.py")
    assert found is not None
    assert found.is_file()


def test_another_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "model.onnx"
    fake.write_bytes(b"not the model")
    monkeypatch.setattr(minilm, "_shipped", lambda *_: fake)
    monkeypatch.setattr(minilm, "import_module", lambda name: object())
    assert minilm.load.__wrapped__() is None


def test_a_model_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "encoder", lambda: None)
    with pytest.raises(ConfigError, match="vectors = false"):
        minilm.embed("text")


def test_near_meanings_are_near() -> None:
    encoder = minilm.encoder()
    if encoder is None:
        pytest.skip("needs the `semantic` extra")
    one, other, third = encoder(["a car", "an automobile", "seven green apples"])
    assert math.isclose(float(one @ one), 1.0, abs_tol=1e-3)
    assert float(one @ other) > float(one @ third) + 0.2
