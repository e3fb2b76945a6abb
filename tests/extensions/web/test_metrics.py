"""What a scrape takes, read by the strict parser of Prometheus' own library."""

from collections.abc import Callable
from pathlib import Path

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from tests.extensions.web.conftest import Api

from dejavu.extensions.web import metrics
from dejavu.model import Conversation
from dejavu.services.hook_protocol import SPOOL, folder

A, B = "20260101-000000-aaaa", "20260101-000000-bbbb"


def read(text: str) -> dict[tuple[str, tuple[str, ...]], float]:
    """Value by sample name and the values of its labels."""
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_the_archive_the_spool_and_the_sessions_are_told(
    serve: Callable[..., Api], session: Callable[..., Path], archived: list[Conversation]
) -> None:
    session(A, "blocked")
    session(B, "working")
    spool = Path(folder()) / SPOOL
    spool.mkdir(parents=True)
    (spool / "1").write_text("waits")
    answer = serve().get("/metrics")
    assert answer.status == 200
    assert answer.headers["content-type"] == metrics.CONTENT_TYPE
    values = read(answer.body.decode())
    assert values["dejavu_archive_up", ()] == 1
    assert values["dejavu_archive_conversations_total", ()] == len(archived)
    assert values["dejavu_archive_turns", ()] == sum(len(one.turns) for one in archived)
    assert values["dejavu_archive_last_change_timestamp_seconds", ()] > 1.7e9
    assert values["dejavu_spool_entries", ("hooks",)] == 1
    assert values["dejavu_spool_oldest_timestamp_seconds", ("hooks",)] > 1.7e9
    states = {key[1][-1]: value for key, value in values.items() if key[0] == "dejavu_sessions"}
    assert states == {"blocked": 1, "working": 1}
    text = answer.body.decode()
    assert not any(one.workspace in text for one in archived if one.workspace)


def test_a_scrape_needs_the_token_on_a_port(serve: Callable[..., Api]) -> None:
    api = serve("--port", "0")
    assert api.get("/metrics", Authorization="").status == 401
    assert api.get("/metrics").status == 200


@pytest.mark.usefixtures("home")
def test_nothing_captured_yet_is_no_fault() -> None:
    assert read(metrics.exposition("1"))["dejavu_archive_up", ()] == 1


def test_an_archive_that_cannot_be_read_is_down(home: Path) -> None:
    archive = home / ".local/share/dejavu/archive"
    archive.mkdir(parents=True, mode=0o700)
    (archive / "data.mdb").write_bytes(b"no LMDB" * 4096)
    values = read(metrics.exposition("1"))
    assert values["dejavu_archive_up", ()] == 0
    assert ("dejavu_archive_turns", ()) not in values


def test_labels_may_hold_anything() -> None:
    family = metrics.Family("x", "gauge", "Help.", [((("agent", 'a"\\\nb'),), 1)])
    text = "".join(metrics._lines(family)) + "# EOF\n"
    assert read(text) == {("x", ('a"\\\nb',)): 1.0}
