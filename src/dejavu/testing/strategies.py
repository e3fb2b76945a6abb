"""The public name of `dejavu.extensions.testing.strategies`; needs hypothesis.

Tested in: tests/extensions/testing/test_public_name.py
"""

from dejavu.extensions.testing.strategies import *  # noqa: F403 - an alias has the other's names
