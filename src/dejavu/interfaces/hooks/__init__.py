"""What agents call: hooks that read their JSON on stdin, always exit 0, and keep a time limit.

Takes payloads; gives answers in the agent's own form. Nothing heavy is imported before it is known
that it is wanted.
"""


def main(arguments: list[str]) -> int:
    """`dejavu hook capture|inject`; other words are passed over in silence, as a hook must."""
    if arguments[:1] == ["capture"]:
        from .capture import main as capture

        capture(arguments[1:])
    elif arguments[:1] == ["inject"]:
        from .inject import main as inject

        inject(arguments[1:])
    return 0


__all__ = ["main"]
