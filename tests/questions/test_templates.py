from __future__ import annotations

import re
from pathlib import Path

import pytest

from raqa.corpora.attributes import ATTRIBUTES
from raqa.errors import UserError
from raqa.questions.template_files import SHIPPED, copy_templates
from raqa.questions.templates import Templates, load_templates

PATTERNS = """
condition:
  labels: {yes: there, no: not there}
  open_ended:
    - question: What about {thing}?
      answer: {yes: "There is {thing}.", no: "There is no {thing}."}
  multiple_choice:
    - question: "Which fits {thing}: {options}?"
      answer: "For {thing} fits: {label}."
  single_verify:
    - {question: "Is there {thing}?", yes: "Yes, {thing}.", no: "No {thing}."}
"""


def refused(folder: Path, **files: str) -> str:
    """What is said about template files; each problem on a line."""
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    with pytest.raises(UserError) as caught:
        load_templates(folder)
    return "\n".join(caught.value.problems)


def wording(attribute: str, question_type: str, lines: str, more: str = "") -> str:
    return f"{attribute}: {{{more}{question_type}: [{{{lines}}}]}}"


def test_a_fault_of_a_pattern_is_told_once_with_how_many_attributes_it_concerns(
    tmp_path: Path,
) -> None:
    copy_templates(tmp_path)
    path = tmp_path / "patterns.yaml"
    text = path.read_text().replace("say about {thing}?", "say about {thingy}?")
    path.write_text(text.replace("Is {thing} part of the history", "Is {it} part of the history"))
    problems = refused(tmp_path).splitlines()
    assert len(problems) == 2
    users = sum("like: condition" in one.read_text() for one in tmp_path.glob("*.yaml"))
    assert users >= 2
    for problem, slot in zip(problems, ("{thingy}", "{it}"), strict=True):
        assert problem.startswith(f"{path}: condition/")
        assert f"there is no slot {slot}" in problem
        assert re.search(r"\(for [a-z_]+, [a-z_]+, [a-z_]+ and \d+ more attributes\)$", problem)


def test_what_one_attribute_lacks_for_its_pattern_is_told_at_that_attribute(
    tmp_path: Path,
) -> None:
    copy_templates(tmp_path)
    path = tmp_path / "profile.yaml"
    path.write_text(re.sub(r"asthma: .*", "asthma: {like: condition}", path.read_text()))
    problems = refused(tmp_path).splitlines()
    assert problems
    assert all(problem.startswith(f"{path}: asthma/") for problem in problems)


def test_every_attribute_of_the_registry_is_asked_about_or_excluded_with_a_reason(
    shipped: Templates,
) -> None:
    assert set(shipped.by_attribute) == set(ATTRIBUTES)
    for one in shipped.by_attribute.values():
        assert one.wordings or one.excluded, one.attribute.name


def test_every_question_type_of_an_attribute_has_several_wordings(shipped: Templates) -> None:
    for name, one in shipped.by_attribute.items():
        for question_type in {wording.question_type for wording in one.wordings}:
            assert len(one.of_type(question_type)) >= 2, (name, question_type)


def test_kinds_have_the_question_types_that_can_be_answered(shipped: Templates) -> None:
    for one in shipped.by_attribute.values():
        types = {wording.question_type for wording in one.wordings}
        if one.attribute.kind == "numeric":
            assert types == {"open_ended"}
        elif one.attribute.kind == "multilabel":
            assert types == {"open_ended", "single_verify"}
        else:
            assert types == {"open_ended", "multiple_choice", "single_verify"}


def test_no_shipped_question_is_worded_as_the_published_preview(shipped: Templates) -> None:
    preview = load_templates("preview")
    asked = {w.question for one in shipped.by_attribute.values() for w in one.wordings}
    assert set(preview.by_attribute) == {"asthma", "breathing_difficulties"}
    assert not asked & {w.question for one in preview.by_attribute.values() for w in one.wordings}


@pytest.mark.parametrize(
    ("family", "text", "said"),
    [
        ("profile", wording("age", "open_ended", "question: 'Old?', answer: 'It is {value}.'"),
         "lacks the slot {unit}"),
        ("profile", wording("sex", "open_ended", "question: 'Which?', answer: 'Is {lable}.'"),
         "there is no slot {lable} here. Slots: {label}"),
        ("profile", wording("sex", "single_verify", "question: 'Female?', yes: 'Yes.', no: 'No.'"),
         "question: lacks the slot {label}"),
        ("profile", wording("sex", "multiple_choice", "question: 'Which?', answer: 'Is {label}.'"),
         "question: lacks the slot {options}"),
        ("profile", wording("sex", "open_ended", "question: 'Which {?', answer: 'Is {label}.'"),
         "a brace belongs to no slot"),
        ("profile", wording("age", "single_verify", "question: 'Old?', yes: 'Yes.', no: 'No.'"),
         "a number is asked for open-ended only"),
        ("profile", wording("diagnosis", "multiple_choice",
                            "question: 'A {options}', answer: 'Is {label}.'"),
         "several labels may be right"),
        ("profile", wording("sex", "open_ended", "question: 'Q?', answer: 'Is {label}.'",
                            "labels: {female: person, male: Person}, "),
         "two options are the same: 'female' and 'male'"),
        ("profile", wording("sex", "open_ended", "question: 'Q?', answer: 'Is {label}.'",
                            "labels: {woman: a woman}, "), "no label 'woman'"),
        ("profile", wording("sex", "open_ended",
                            "question: 'Is it female?', answer: 'It is {label}.'"),
         "the question contains its answer 'female'"),
        ("profile", wording("asthma", "open_ended",
                            "question: 'There is asthma. Is there?', "
                            "answer: {yes: There is asthma., no: There is none.}"),
         "the question contains its answer 'There is asthma.'"),
        ("profile", wording("asthma", "open_ended", "question: 'Q?', answer: {yes: There is.}"),
         "answer: lacks 'no'"),
        ("profile", wording("asthma", "open_ended", "question: 'Q?', answer: {yes: Eh., no: Eh.}"),
         "two labels have the same answer"),
        ("profile", "astma: {like: condition, thing: asthma}", "Did you mean asthma"),
        ("consultation", "asthma: {like: condition, thing: asthma}", "belongs into profile.yaml"),
        ("profile", "asthma: {like: condtion, thing: asthma}", "Did you mean condition?"),
        ("profile", "asthma: {like: condition}", "there is no slot {thing}"),
        ("profile", "asthma: {like: condition, thing: asthma, think: it}",
         "no sentence has a slot {think} for it"),
        ("profile", "asthma: {exclude: ''}", "say why nothing is asked"),
        ("profile", "asthma: {labels: {yes: a, no: b}}", "has no sentences"),
        ("profile", wording("asthma", "single_verify", "question: 'Q?', yes: 'Yes.'"), "lacks no"),
        ("profile",
         "age: {open_ended: [{question: 'Q?', answer: '{value} {unit}'}], decimals: few}",
         "decimals: few: expected how many"),
        ("profile", "asthma: {like: condition, thing: asthma}\nasthma: {exclude: no}",
         "asthma stands more than once"),
        ("symptoms", "", "expected the name of a family"),
        ("profile", "asthma: [", "can not be read as YAML"),
    ],
)  # fmt: skip
def test_a_faulty_template_is_refused_when_it_is_loaded(
    tmp_path: Path, family: str, text: str, said: str
) -> None:
    assert said in refused(tmp_path, patterns=PATTERNS, **{family: text})


def test_a_choice_of_one_option_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one_label = {"other": "other"}
    monkeypatch.setattr(
        "raqa.questions.template_checks.Builder._label_texts", lambda *_: dict(one_label)
    )
    text = wording("sex", "multiple_choice", "question: 'Which: {options}?', answer: '{label}.'")
    assert "has one option only: other" in refused(tmp_path, profile=text)


def test_two_questions_that_read_the_same_are_refused(tmp_path: Path) -> None:
    text = """
pneumonia: {like: condition, thing: asthma}
asthma: {like: condition, thing: Asthma}
sex:
  labels: {female: a, male: b, other: c}
  single_verify:
    - {question: "Is it {label}?", yes: "Yes.", no: "No."}
    - {question: "Is it  {label}?", yes: "Right.", no: "Wrong."}
"""
    said = refused(tmp_path, patterns=PATTERNS, profile=text)
    assert "asthma/single_verify/1: asks the same as pneumonia/single_verify/1" in said
    assert "sex/single_verify/2 about male: asks the same as sex/single_verify/1 about male" in said


def test_all_faults_are_reported_together(tmp_path: Path) -> None:
    said = refused(
        tmp_path, profile="astma: {exclude: x}\nasthma: {exclude: ''}", recording="nois: {like: y}",
        others="",
    )  # fmt: skip
    assert len(said.splitlines()) == 4
    assert all(line.count(str(tmp_path)) == 1 for line in said.splitlines())


def test_a_set_of_templates_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Did you mean preview"):
        load_templates("previw")
    with pytest.raises(UserError, match="raqa qa templates"):
        load_templates(tmp_path)


def test_copied_templates_ask_the_same_until_they_are_edited(
    tmp_path: Path, shipped: Templates
) -> None:
    copy_templates(tmp_path / "mine")
    assert load_templates(tmp_path / "mine").hash == shipped.hash
    profile = tmp_path / "mine" / "profile.yaml"
    profile.write_text(profile.read_text().replace("How old is", "What is the age of"))
    edited = load_templates(tmp_path / "mine")
    assert edited.hash != shipped.hash
    with pytest.raises(UserError, match="is there already"):
        copy_templates(tmp_path / "mine")


def test_an_attribute_that_no_file_names_takes_the_pattern_of_its_kind(tmp_path: Path) -> None:
    (tmp_path / "patterns.yaml").write_text(PATTERNS.replace("condition:", "binary:"))
    templates = load_templates(tmp_path)
    (first, *_) = templates.by_attribute["headache"].of_type("open_ended")
    assert first.question == "What about headache?"
    assert "age" not in templates.by_attribute


def test_labels_in_a_list_are_told_apart_whatever_they_contain(shipped: Templates) -> None:
    for name, labels in (("lung_sounds", ("crackle", "wheeze", "rhonchus")),
                         ("symptoms", ("pain, sharp and dull", "fever"))):  # fmt: skip
        one = shipped.by_attribute[name]
        for wording in one.of_type("open_ended"):
            for chosen in (labels, labels[:2], labels[:1]):
                answer = one.answer(wording, chosen)
                assert one.read_back(wording, answer, None) == " + ".join(chosen)


def test_an_answer_of_another_template_is_not_read(shipped: Templates) -> None:
    with pytest.raises(ValueError, match="is no answer of"):
        shipped.read_back("asthma/single_verify/1", "It rains.", None)
    with pytest.raises(UserError, match="asthma/single_verify/1"):
        shipped.read_back("asthma/single_verify/100", "Yes.", None)


def test_the_documented_example_loads(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "questions.md").read_text()
    (tmp_path / "patterns.yaml").write_text((SHIPPED / "patterns.yaml").read_text())
    (tmp_path / "profile.yaml").write_text(page.partition("```yaml")[2].partition("```")[0])
    templates = load_templates(tmp_path).by_attribute
    assert templates["height"].excluded == "not to be heard"
    assert len(templates["sex"].wordings) == 3


def test_every_attribute_can_be_asked_about_with_the_pattern_of_its_kind(tmp_path: Path) -> None:
    (tmp_path / "patterns.yaml").write_text((SHIPPED / "patterns.yaml").read_text())
    assert set(load_templates(tmp_path).by_attribute) == set(ATTRIBUTES)
