"""The public name of the plugin, for `pytest -p dejavu.testing.plugin`."""

import sys

from dejavu.extensions.testing import plugin

sys.modules[__name__] = plugin
