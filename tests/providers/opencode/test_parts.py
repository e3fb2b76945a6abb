"""Parts of OpenCode's messages."""

from dejavu.model import Blob, Extension, Text
from dejavu.providers.opencode.parts import blob, error, usage


def test_a_file_is_inline_or_none() -> None:
    url = "data:image/png;base64,AAAA"
    assert blob({"url": url, "mime": "image/png"}) == Blob("image/png", "AAAA", "image")
    assert blob({"uri": url}) == Blob("image/png", "AAAA", "image")
    assert blob({"uri": "file:///work/a.png"}) is None


def test_tokens_from_the_cache_are_part_of_the_input() -> None:
    told = {"tokens": {"input": 1, "output": 2, "cache": {"read": 3, "write": 4}}, "cost": 0.5}
    spent = usage(told)
    assert spent is not None
    assert (spent.input_tokens, spent.output_tokens, spent.cost) == (8, 2, 0.5)
    assert usage({}) is None


def test_errors_of_both_generations() -> None:
    older = error({"name": "APIError", "data": {"message": "no", "statusCode": 400}})
    newer = error({"type": "api", "message": "no", "status": 400})
    assert older[0] == newer[0] == Text("no")
    assert older[1] == Extension(
        "opencode.error", {"message": "no", "name": "APIError", "status": 400}
    )
    assert newer[1] == Extension("opencode.error", {"message": "no", "name": "api", "status": 400})
