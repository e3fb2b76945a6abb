from dejavu.redact.joined_text import Evidence, JoinedText, Joints, Span


def test_spans_cross_runs_and_skip_line_breaks() -> None:
    text = JoinedText()
    text.add(Span(0, 2, 5), "abc")
    text.add(Span(1, 1, 3), "de", "", Evidence.LIKELY)
    text.add(Span(2, 0, 2), "fg")
    assert (text.text, text.joints) == ("abcde\nfg", Joints([3], [Evidence.LIKELY]))
    assert text.spans(1, 7) == [Span(0, 3, 5), Span(1, 1, 3), Span(2, 0, 1)]


def test_joints_of_a_piece_and_of_a_text_with_fewer_characters() -> None:
    joints = Joints([3, 8], [Evidence.NONE, Evidence.CERTAIN])
    assert joints.within(2, 5) == Joints([1], [Evidence.NONE])
    assert joints.moved([0, 1, 2, 4, 5, 6, 8, 9]).offsets == [3, 6]
