import polars as pl

from raqa.questions.leaks import crossing, repeated_questions, same_audio

from .made import rows, table


def test_a_recording_asked_the_same_twice_is_counted_and_named():
    once = rows({"a": "yes", "b": "no"})
    again = rows({"b": "yes"})
    (found,) = repeated_questions(table(once, again, again)).iter_rows(named=True)
    assert (found["pairs"], found["contradicting"]) == (2, 1)
    assert (found["recording_id"], found["question"]) == ("b-0", "Is there asthma?")


def test_two_questions_about_a_recording_are_no_repetition():
    other = rows({"a": "yes"}, question="Asthma?")
    assert repeated_questions(table(rows({"a": "yes"}), other)).is_empty()


def test_a_subject_in_two_splits_is_found_and_one_of_another_corpus_is_somebody_else():
    questions = table(
        rows({"a": "yes", "b": "no"}),
        rows({"a": "yes"}, splits={"a": "test"}, attribute="fever"),
        rows({"b": "yes"}, splits={"b": "test"}, corpus="there"),
    )
    assert crossing(questions, "subject_id").rows() == [("here", "a", "test + train")]
    assert crossing(questions, "recording_id").rows() == [("here", "a-0", "test + train")]


def test_the_same_audio_under_two_recordings_is_found_those_across_splits_first():
    questions = table(rows({"a": "y", "b": "n", "c": "y", "d": "n"}, splits={"d": "test"}))
    contents = pl.DataFrame({
        "corpus": "here", "recording_id": ["a-0", "b-0", "c-0", "d-0"],
        "path": ["/a", "/b", "/c", "/d"], "content": ["1", "1", "2", "2"],
    })  # fmt: skip
    assert same_audio(questions, contents).drop("content").rows() == [
        ("here:c-0 + here:d-0", "test + train", 2),
        ("here:a-0 + here:b-0", "train", 2),
    ]


def test_segments_of_one_file_and_unknown_contents_are_not_the_same_audio():
    questions = table(rows({"a": "y", "b": "n", "c": "y"}))
    contents = pl.DataFrame({
        "corpus": "here", "recording_id": ["a-0", "b-0", "c-0"],
        "path": ["/a", "/a", "/c"], "content": ["1", "1", None],
    })  # fmt: skip
    assert same_audio(questions, contents).is_empty()
