"""What is said once, the first time that screen text is kept.

A file in the state folder remembers that it was said.
"""

from dejavu.config.paths import archive_shown, private_folder, state_home

_MARK = "screen-notice"


def first_screen_notice() -> str:
    """The sentence, or nothing if it was said before."""
    mark = private_folder(state_home()) / _MARK
    try:
        mark.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        return ""
    return (
        f"what the screen showed was kept, with secrets replaced, in {archive_shown()}; "
        "it is kept only where you ask for it (--screen, or [capture] in config.toml), and "
        "`dejavu archive prune` takes it out again (said once)"
    )
