"""The browser of the conversation pages' tests, for the page of figures."""

import importlib.util
from pathlib import Path

_PLACE = Path(__file__).parent.parent / "html" / "conftest.py"
_spec = importlib.util.spec_from_file_location("html_conftest", _PLACE)
assert _spec is not None
assert _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
browser = _module.browser
axe = _module.axe
