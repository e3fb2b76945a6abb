import time

from dejavu.config.clock import now


def test_it_is_the_time() -> None:
    before = time.time()
    assert before <= now() <= time.time()
