"""A conversation as a trajectory of ATIF: what is written comes back equal through `dejavu import`.

Tested in: tests/extensions/web/test_views.py
"""

from dejavu.providers.formats.atif import trajectory

__all__ = ["trajectory"]
