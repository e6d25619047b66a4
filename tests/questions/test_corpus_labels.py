from raqa.questions.corpus_labels import follow_corpus

from .made import numbers, rows, subjects, table


def test_a_label_that_only_one_corpus_has_follows_the_corpus():
    questions = table(
        rows(subjects(20, "yes")),
        rows(subjects(20, "no"), corpus="there"),
    )
    (found,) = follow_corpus(questions).iter_rows(named=True)
    assert (found["attribute"], found["property"]) == ("asthma", "corpus")
    assert found["strength"] > 0.9
    assert (found["by_format"], found["by_constant"]) == (1.0, 0.5)


def test_a_label_as_frequent_everywhere_does_not():
    half = subjects(20, "yes") | subjects(20, "no")
    (found,) = follow_corpus(table(rows(half), rows(half, corpus="there"))).iter_rows(named=True)
    assert found["strength"] == 0


def test_a_number_follows_the_corpus_too():
    young = numbers({f"s{n}": 5.0 + n / 9 for n in range(20)})
    old = numbers({f"s{n}": 70.0 + n / 9 for n in range(20)}, corpus="there")
    (found,) = follow_corpus(table(young, old)).iter_rows(named=True)
    assert found["attribute"] == "age"
    assert found["strength"] > 0.8


def test_attributes_of_one_corpus_and_yes_no_questions_are_left_out():
    alone = rows(subjects(9, "yes"))
    chosen = [
        rows(subjects(9, label), corpus=corpus, attribute="cough", question_type="single_verify")
        for corpus, label in (("here", "yes"), ("there", "no"))
    ]
    assert follow_corpus(table(alone, *chosen)).is_empty()
