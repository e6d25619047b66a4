import pytest

from raqa.errors import UserError
from raqa.questions.published_faults import is_published, published_faults

from .published import write_published


def test_every_fault_of_the_preview_is_found_by_number(test_data):
    faults = published_faults(test_data / "raqa_preview")
    assert {fault.number: fault.count for fault in faults} == {
        1: 3727 + 69,  # recordings called val, records called validation
        2: 4, 3: 2, 4: 2, 5: 2, 6: 1106 + 99,
    }  # fmt: skip
    told = {fault.number: fault.detail for fault in faults}
    assert "9hftEYixyhP1Neeq3fB7ZwITQC53 has no cough-shallow" in told[3]
    assert "asthma" in told[4]
    assert "breathing_difficulties" in told[4]
    assert "asthma: 23,510 recordings not asked" in told[5]


def test_each_fault_is_found_where_it_is(tmp_path):
    faults = published_faults(write_published(tmp_path))
    assert [fault.count for fault in faults] == [4, 1, 1, 1, 1, 5]


def test_no_fault_is_found_where_there_is_none(tmp_path):
    faults = published_faults(write_published(tmp_path, faults=False))
    assert [fault.count for fault in faults] == [0] * 6
    assert [fault.number for fault in faults] == [1, 2, 3, 4, 5, 6]


def test_damaged_files_are_all_named(tmp_path):
    folder = write_published(tmp_path)
    (folder / "questions_answers" / "asthma.json").write_text("[{")
    (folder / "questions_answers" / "fever.json").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError) as caught:
        published_faults(folder)
    assert {"asthma.json" in one or "fever.json" in one for one in caught.value.problems[:2]} == {
        True}  # fmt: skip


def test_the_layout_is_recognised(tmp_path):
    assert not is_published(tmp_path)
    assert is_published(write_published(tmp_path))
