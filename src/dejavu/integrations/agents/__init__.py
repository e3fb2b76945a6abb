"""The agents we can be registered with: one module each, the list in `registry`."""

from .registry import REGISTRATIONS

__all__ = ["REGISTRATIONS"]
