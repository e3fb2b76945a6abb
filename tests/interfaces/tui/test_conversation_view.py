from pathlib import Path

from tests.interfaces.tui.driving import browsing, long, put, run, screen, settle


def test_five_thousand_turns_are_never_loaded_at_once(home: Path) -> None:
    put(home, long(5000))

    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("enter")
            await settle(pilot, lambda: "Question number 0." in screen(pilot.app))
            view = pilot.app.conversation_view
            await pilot.press("G")
            await settle(pilot, lambda: "Answer number 4999." in screen(pilot.app))
            assert view.current == 4999
            await pilot.press("g")
            await settle(pilot, lambda: "Question number 0." in screen(pilot.app))
            for _ in range(12):
                await pilot.press("pagedown")
            await pilot.pause()
            assert len(view._windows) <= 8
            assert len(view._drawn) <= 400

    run(task())


def test_scrolling_back_shows_every_turn_once_and_in_order(home: Path) -> None:
    put(home, long(120))

    async def task() -> None:
        async with browsing(home, (80, 24)) as pilot:
            await pilot.press("enter", "G")
            await settle(pilot, lambda: "Answer number 119." in screen(pilot.app))
            view = pilot.app.conversation_view
            above: list[str] = []
            for _ in range(1000):
                above.append(screen(pilot.app).splitlines()[1])
                if view.scroll_y == 0:
                    break
                view.scroll_to(y=view.scroll_y - 1, animate=False, immediate=True)
                await pilot.pause()
            numbers = [
                int(line.split("number ")[1].split(".")[0]) for line in above if "number " in line
            ]
            filters = [n for n in range(119, -1, -1) if n % 4 in (0, 3)]
            # The first screen showed the last turns below its top line.
            assert numbers == filters[-len(numbers) :]
            assert len(numbers) > 50

    run(task())


def test_pages_and_half_pages_by_control_keys(home: Path) -> None:
    put(home, long(200))

    async def task() -> None:
        async with browsing(home, (100, 30)) as pilot:
            await pilot.press("enter")
            view = pilot.app.conversation_view
            await settle(pilot, lambda: view.has_focus)
            height = view.scrollable_content_region.height
            for key, by in (("f", height), ("d", height // 2), ("u", -(height // 2))):
                before = view.scroll_y
                await pilot.press(f"ctrl+{key}")
                await pilot.pause()
                assert abs(view.scroll_y - before - by) <= 1
            await pilot.press("ctrl+b")
            await settle(pilot, lambda: view.scroll_y == 0)

    run(task())


def test_jumps_by_turn_and_by_prompt(home: Path) -> None:
    put(home, long(200))

    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("enter", "j", "j")
            view = pilot.app.conversation_view
            assert view.current == 2
            await pilot.press("right_square_bracket")
            assert view.current == 4
            for _ in range(20):
                await pilot.press("right_square_bracket")
            assert view.current == 84
            await settle(pilot, lambda: "Question number 84." in screen(pilot.app))
            await pilot.press("left_square_bracket", "k")
            assert view.current == 79

    run(task())


def test_a_narrower_window_keeps_the_place(home: Path) -> None:
    put(home, long(200))

    async def task() -> None:
        async with browsing(home, (200, 60)) as pilot:
            await pilot.press("enter", *["right_square_bracket"] * 30)
            await settle(pilot, lambda: "Question number 120." in screen(pilot.app))
            await pilot.resize_terminal(80, 24)
            await settle(pilot, lambda: "Question number 120." in screen(pilot.app))

    run(task())


def test_a_conversation_that_grows_is_followed_at_its_end_alone(home: Path) -> None:
    put(home, long(60))

    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("enter")
            await settle(pilot, lambda: "Question number 0." in screen(pilot.app))
            put(home, long(64))
            await settle(pilot, lambda: "64 turns" in screen(pilot.app))
            assert "Question number 0." in screen(pilot.app)
            await pilot.press("G")
            await settle(pilot, lambda: "Answer number 63." in screen(pilot.app))
            put(home, long(68))
            await settle(pilot, lambda: "Answer number 67." in screen(pilot.app))

    run(task())


def test_a_text_is_found_in_the_conversation_and_again(home: Path) -> None:
    put(home, long(400))

    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("enter")
            view = pilot.app.conversation_view
            await settle(pilot, lambda: "Question number 0." in screen(pilot.app))
            await pilot.press("slash", *"number", "space", *"31", "enter")
            await settle(pilot, lambda: view.current == 31)
            assert "number 31" in screen(pilot.app)
            await pilot.press("n")
            await settle(pilot, lambda: view.current == 311)
            await pilot.press("N")
            await settle(pilot, lambda: view.current == 31)
            await pilot.press("N")  # around to the last of them
            await settle(pilot, lambda: view.current == 319)
            await pilot.press("slash", "escape")
            assert view.has_focus

    run(task())


def test_what_is_nowhere_is_said_and_s_searches_everything(home: Path) -> None:
    put(home, long(8))

    async def task() -> None:
        async with browsing(home) as pilot:
            await pilot.press("enter", "n")
            view = pilot.app.conversation_view
            assert view.current == 1  # nothing is looked for: the next turn
            await pilot.press("slash", *"zebra", "enter")
            await settle(pilot, lambda: "nowhere in this" in screen(pilot.app))
            assert view.current == 1
            await pilot.press("s")
            assert pilot.app.focused is pilot.app.query_one("#search")

    run(task())
