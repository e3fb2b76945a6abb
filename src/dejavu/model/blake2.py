"""BLAKE2b as the interpreter has it built in: `hashlib` also loads OpenSSL, which takes 2 ms.

For what every command loads. It is the same function, so names and keys are the same.

Tested in: tests/interfaces/cli/test_imports.py
"""

try:
    from _blake2 import blake2b
except ImportError:  # an interpreter without it
    from hashlib import blake2b

__all__ = ["blake2b"]
