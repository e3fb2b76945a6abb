"""The public name of `dejavu.extensions.testing.strategies`; needs hypothesis."""

from dejavu.extensions.testing.strategies import *  # noqa: F403 - an alias has the other's names
