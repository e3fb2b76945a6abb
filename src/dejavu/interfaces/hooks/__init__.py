"""The programs that agents call as hooks: JSON on stdin, always exit 0, within a time limit.

Answers are in the agent's own form. Nothing heavy is imported before it is needed.
"""


def main(arguments: list[str]) -> int:
    """`dejavu hook capture|inject|guard|assist`; other words are ignored in silence, as a hook must."""
    if arguments[:1] == ["capture"]:
        from .capture import main as capture

        capture(arguments[1:])
    elif arguments[:1] == ["inject"]:
        from .inject import main as inject

        inject(arguments[1:])
    elif arguments[:1] == ["guard"]:
        from .guard import main as guard

        guard(arguments[1:])
    elif arguments[:1] == ["assist"]:
        from .assist import main as assist

        assist(arguments[1:])
    return 0


__all__ = ["main"]
