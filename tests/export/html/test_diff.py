from dejavu.export.changes import as_change
from dejavu.export.html.diff import diff

UNIFIED = """diff --git a/x b/x
--- a/x
+++ b/x
@@ -1,2 +1,2 @@
-old
+new <b>
 same
"""


def test_a_unified_diff_is_coloured_line_by_line() -> None:
    html = diff(as_change(UNIFIED).lines)
    assert '<span class="add">+new &lt;b&gt;</span>' in html
    assert '<span class="del">-old</span>' in html
    assert '<span class="at">@@ -1,2 +1,2 @@</span>' in html
    assert '<span class="file">--- a/x</span>' in html
    assert "<span> same</span>" in html
