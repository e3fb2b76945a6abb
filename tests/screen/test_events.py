import dataclasses

import pytest

from dejavu.screen import Bell, Cleared, Notification, Progress, PromptMark, Title


@pytest.mark.parametrize(
    "event",
    [Title("t"), Bell(), Progress(1, 50), PromptMark("A", ""), Notification("n"), Cleared()],
)
def test_events_are_values(event: object) -> None:
    assert event == dataclasses.replace(event)  # type: ignore[type-var]
    assert len({event, dataclasses.replace(event)}) == 1  # type: ignore[type-var]
    for field in dataclasses.fields(event):  # type: ignore[arg-type]
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(event, field.name, None)
