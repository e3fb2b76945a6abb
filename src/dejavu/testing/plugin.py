"""The public name of the plugin, for `pytest -p dejavu.testing.plugin`.

Tested in: tests/extensions/testing/test_plugin.py
"""

import sys

from dejavu.extensions.testing import plugin

sys.modules[__name__] = plugin
