"""A language model judges free text by rubrics: each different answer once, at temperature 0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from raqa.errors import UserError
from raqa.judges.language_model import LanguageModelJudge
from raqa.judges.rubrics import RUBRICS
from raqa.judges.rules import RulesJudge
from raqa.responders.base import Prompt, Response
from raqa.responders.openai import Decoding
from raqa.responders.plain import ConstantResponder, _Saying
from raqa.tables import CRITERIA, VERDICTS, check_table
from tests.judges.judging import (
    GRADES,
    RIGHT,
    WRONG,
    answers,
    candidate,
    exam,
    item,
    judge_of,
    saying,
)
from tests.judges.test_rules_judge import OPTIONS, WHEEZE
from tests.responders.asking import openai
from tests.responders.fake_server import MODEL, Reply, serving

ROWS = [item("a"), item("b", "inferred"), item("c", "oe_speech"),
        item("d", "mcq_speech", **OPTIONS)]  # fmt: skip
SAID = {"a": "It is grade II/VI.", "b": "No murmur.", "c": "A soft one.", "d": "B"}
VERDICT = saying({SAID["a"]: RIGHT, SAID["b"]: WRONG, SAID["c"]: GRADES})


def test_each_form_is_judged_by_its_rubric_and_choices_by_rules(tmp_path: Path) -> None:
    with serving(VERDICT) as server:
        found = judge_of(server, tmp_path).judge(exam(*ROWS), answers(SAID))
        assert len(server.asked) == 3
    check_table(found, VERDICTS, name="verdicts", key=["seed", "qa_id"])
    assert found["outcome"].to_list() == ["right", "wrong", "graded", "right"]
    assert found["score"].to_list() == [1.0, 0.0, 0.75, 1.0]
    assert found.select(*CRITERIA).row(2) == (3, 2, 2, 3)
    assert found["judge"].to_list() == [MODEL] * 3 + ["rules"]
    assert found["rubric"].to_list() == [
        RUBRICS["facts"].hash, RUBRICS["concept"].hash, RUBRICS["open"].hash, None,
    ]  # fmt: skip
    assert found["reason"].to_list()[:3] == ["same facts", "another grade", "fine"]
    assert found["version"].n_unique() == 2


def test_rubrics_differ_and_their_hashes_tell() -> None:
    hashes = {RUBRICS[form].hash for form in ("facts", "concept", "open")}
    assert len(hashes) == 3
    assert all(len(one) == 10 for one in hashes)


def test_what_is_sent_is_text_at_temperature_0_with_the_schema(tmp_path: Path) -> None:
    with serving(VERDICT) as server:
        judge_of(server, tmp_path).judge(exam(*ROWS), answers(SAID))
        bodies = server.bodies
    for body in bodies:
        assert body["temperature"] == 0
        assert body["max_tokens"] == 400
        (message,) = body["messages"]
        assert isinstance(message["content"], str)
        schema = body["response_format"]["json_schema"]["schema"]
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) == set(schema["properties"])
        assert next(iter(schema["properties"])) == "reason"
    assert sum("correctness" in str(body["response_format"]) for body in bodies) == 1


def test_an_endpoint_without_schemas_is_sent_none_and_own_settings_stay(tmp_path: Path) -> None:
    with serving(VERDICT) as server:
        own = openai(server.url, decoding=Decoding(max_tokens=900, extra={"top_k": 1}))
        judge = judge_of(server, tmp_path, structured=False, responder=own)
        judge.judge(exam(ROWS[0]), answers({"a": SAID["a"]}))
        assert "response_format" not in server.bodies[0]
        assert server.bodies[0]["max_tokens"] == 900
        assert server.bodies[0]["top_k"] == 1


def test_the_same_answer_is_judged_once_for_all_seeds_and_found_again(tmp_path: Path) -> None:
    with serving(VERDICT) as server:
        first = judge_of(server, tmp_path).judge(exam(*ROWS), answers(SAID, (0, 1, 2)))
        again = judge_of(server, tmp_path).judge(exam(*ROWS), answers(SAID, (0, 1, 2)))
        assert len(server.asked) == 3
    assert first.height == 12
    assert again["from_store"].sum() == 9
    assert first.drop("from_store").equals(again.drop("from_store"))


@pytest.mark.parametrize(
    ("changes", "asked"),
    [({"longest": 100}, 0), ({"max_tokens": 50}, 1), ({"structured": False}, 1)],
    ids=str,
)
def test_what_changes_the_request_is_asked_anew_and_names_another_version(
    changes: dict[str, Any], asked: int, tmp_path: Path
) -> None:
    with serving(VERDICT) as server:
        one, two = judge_of(server, tmp_path), judge_of(server, tmp_path, **changes)
        first, second = (
            judge.judge(exam(ROWS[0]), answers({"a": SAID["a"]})) for judge in (one, two)
        )
        assert len(server.asked) == 1 + asked
    assert first["version"][0] != second["version"][0]


def test_another_reference_or_question_is_another_judgement(tmp_path: Path) -> None:
    rows = [item("a"), item("b", answer="Another."), item("c", question="Other?"), item("d")]
    with serving(lambda *_: Reply(text=RIGHT)) as server:
        judge_of(server, tmp_path).judge(exam(*rows), answers(dict.fromkeys("abcd", "It is.")))
        assert len(server.asked) == 3


@pytest.mark.parametrize("form", ["explicit", "inferred", "oe_speech"])
def test_missing_empty_and_refusing_answers_need_no_judge(form: str, tmp_path: Path) -> None:
    said = {"a": None, "b": " \n…", "c": "I am sorry, I can not determine that.",
            "d": "I'm not able to hear the audio."}  # fmt: skip
    rows = [item(name, form) for name in said]
    with serving() as server:
        found = judge_of(server, tmp_path).judge(exam(*rows), answers(said))
        assert not server.asked
    assert found["outcome"].to_list() == ["unscored", "unreadable", "refused", "refused"]
    assert found["score"].to_list() == [None, 0.0, 0.0, 0.0]
    grades = [(None,) * 4, *([(1,) * 4] * 3)] if form == "oe_speech" else [(None,) * 4] * 4
    assert found.select(*CRITERIA).rows() == grades


def test_who_answers_beside_refusing_or_refuses_as_the_reference_does_is_judged(
    tmp_path: Path,
) -> None:
    rows = [item("a"), item("b", answer="It can not be determined from one recording.")]
    said = {"a": "I can not be certain, but it is grade II.", "b": "I can not determine that."}
    with serving(lambda *_: Reply(text=RIGHT)) as server:
        found = judge_of(server, tmp_path).judge(exam(*rows), answers(said))
        assert len(server.asked) == 2
    assert found["outcome"].to_list() == ["right", "right"]


def test_labels_are_judged_where_that_is_asked_for_to_compare_with_rules(tmp_path: Path) -> None:
    rows = [item("a", "open_ended", **WHEEZE), item("b", "explicit", **WHEEZE)]
    said = {"a": "Yes.", "b": "Yes."}
    with serving(lambda *_: Reply(text=WRONG)) as server:
        forms = ("label", "facts")
        found = judge_of(server, tmp_path, forms=forms).judge(exam(*rows), answers(said))
    assert found["judge"].to_list() == [MODEL, MODEL]
    assert RulesJudge().judge(exam(*rows), answers(said))["outcome"].to_list() == ["right"] * 2


def test_a_judge_says_what_it_did_and_what_that_took(tmp_path: Path) -> None:
    console = Console(record=True, width=200)
    with serving(VERDICT) as server:
        judge_of(server, tmp_path).judge(exam(*ROWS), answers(SAID), console=console)
    text = console.export_text()
    assert "4 answers: 4 scored (2 right, 1 wrong, 1 graded), 0 unscored." in text
    assert "The judge: 3 different answers: 3 answered" in text
    assert "36 tokens in all" in text


def test_an_invalid_reply_is_reminded_once(tmp_path: Path) -> None:
    with serving(lambda text, _: Reply(text=RIGHT if "last reply" in text else "right")) as server:
        found = judge_of(server, tmp_path).judge(exam(ROWS[0]), answers({"a": SAID["a"]}))
        first, second = server.texts()
    assert found["outcome"][0] == "right"
    assert second.startswith(first)
    assert "it holds no JSON object" in second
    assert candidate(second) == SAID["a"]


def test_a_verdict_on_half_a_prompt_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Saying, "respond", _half_read)
    judge = LanguageModelJudge(ConstantResponder(RIGHT), folder=tmp_path)
    found = judge.judge(exam(ROWS[0]), answers({"a": SAID["a"]}))
    assert found["outcome"][0] == "unscored"
    assert "only the beginning of what it was asked was read" in found["reason"][0]


async def _half_read(_: _Saying, __: Prompt) -> Response:
    return Response(RIGHT, cut=True)


def test_a_judge_that_can_not_be_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match=r"temperature=0\.7: a judge is asked at 0"):
        LanguageModelJudge(openai("http://h/v1", decoding=Decoding(temperature=0.7)))
    assert LanguageModelJudge(openai("http://h/v1", decoding=Decoding(temperature=None)))
    monkeypatch.setattr(ConstantResponder, "inputs", ("audio",))
    with pytest.raises(UserError, match="ConstantResponder always hears something"):
        LanguageModelJudge(ConstantResponder(), folder=tmp_path)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="choice: only facts"):
        LanguageModelJudge(ConstantResponder(), forms=("choice",))
