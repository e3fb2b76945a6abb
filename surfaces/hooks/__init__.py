"""What agents call: hooks that read their JSON on stdin, always exit 0, and keep a time limit.

Takes payloads; gives answers in the agent's own form. Nothing heavy is imported before it is known
that it is wanted.
"""
