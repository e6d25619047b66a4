"""Later turns of a chain are told what was said before: the model's own or the right answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raqa.answering.base import Asked
from raqa.errors import UserError
from raqa.responders.base import Pace
from raqa.responders.openai import OpenAIResponder
from raqa.responders.plain import ConstantResponder, RandomResponder
from raqa.training.interrupt import StoppedError
from tests.responders.asking import ask, asked, choice, openai, question, tone
from tests.responders.fake_server import Reply, serving

RIGHT = {f"{chain}{turn}": "a cough" for chain in "xy" for turn in (1, 2, 3)}


def rows() -> list[dict[str, Any]]:
    """Two chains of three, the turns in no order, and a question in none."""
    turns = [(chain, turn) for chain in "xy" for turn in (3, 1, 2)]
    return [
        *(
            choice(f"{chain}{turn}", "xy".index(chain), question_type="multi_turn",
                   chain=chain, turn=turn)
            for chain, turn in turns
        ),
        choice("alone"),
    ]  # fmt: skip


@pytest.fixture
def tones(tmp_path: Path) -> list[Path]:
    return [tone(tmp_path / f"{hertz}.wav", hertz) for hertz in (200, 400)]


@pytest.fixture
def own(tones: list[Path]) -> Asked:
    return asked(rows(), tones)


@pytest.fixture
def gold(tones: list[Path]) -> Asked:
    return asked(rows(), tones, RIGHT)


def scripted(**said: str | Reply) -> Callable[[str, int], Reply]:
    """Says what is scripted for a question's name, "B" to others."""

    def script(text: str, _: int) -> Reply:
        name = text.split("(")[1].split(")", maxsplit=1)[0]
        reply = said.get(name, "B")
        return Reply(text=reply) if isinstance(reply, str) else reply

    return script


def name_of(body: dict[str, Any]) -> str:
    last = body["messages"][-1]["content"]
    text = last if isinstance(last, str) else last[-1]["text"]
    return str(text.split("(")[1].split(")")[0])


def talk(body: dict[str, Any]) -> list[tuple[str, str]]:
    """Who said what in a request; of what was asked the name."""
    shown = []
    for message in body["messages"]:
        content = message["content"]
        text = content if isinstance(content, str) else content[-1]["text"]
        asks = message["role"] == "user"
        shown.append((message["role"], text.split("(")[1].split(")")[0] if asks else text))
    return shown


def test_a_wrong_first_answer_is_in_later_prompts_where_own_answers_are_carried(
    own: Asked, tmp_path: Path
) -> None:
    with serving(scripted(x1="A. a wheeze", x2="A, since it is a wheeze")) as server:
        found = ask(own, openai(server.url), tmp_path / "s", "audio")
    said = {name_of(body): talk(body) for body in server.bodies}
    assert said["x2"] == [("user", "x1"), ("assistant", "A. a wheeze"), ("user", "x2")]
    assert said["x3"] == [("user", "x1"), ("assistant", "A. a wheeze"), ("user", "x2"),
                          ("assistant", "A, since it is a wheeze"), ("user", "x3")]  # fmt: skip
    assert said["y2"][1] == ("assistant", "B")
    assert said["alone"] == [("user", "alone")]
    answers = dict(found.answers.select("qa_id", "response").iter_rows())
    assert answers["x1"] == "A. a wheeze"
    assert len(answers) == 7


def test_the_right_answers_are_in_later_prompts_where_they_are_carried(
    gold: Asked, tmp_path: Path
) -> None:
    with serving(scripted(x1="A. a wheeze")) as server:
        ask(gold, openai(server.url), tmp_path / "s", "audio")
    said = {name_of(body): talk(body) for body in server.bodies}
    assert said["x3"] == [("user", "x1"), ("assistant", "B. a cough"), ("user", "x2"),
                          ("assistant", "B. a cough"), ("user", "x3")]  # fmt: skip
    assert not any("A. a wheeze" in text for one in said.values() for _, text in one)


def test_the_recording_goes_with_the_first_question_and_with_no_other(
    own: Asked, tmp_path: Path
) -> None:
    with serving() as server:
        ask(own, openai(server.url, system="Be brief."), tmp_path / "s", "both")
    last = next(body for body in server.bodies if name_of(body) == "x3")
    contents = [one["content"] for one in last["messages"]]
    kinds = ["text" if isinstance(one, str) else [part["type"] for part in one] for one in contents]
    heard = ["input_audio", "image_url", "text"]
    assert kinds == ["text", heard, "text", "text", "text", "text"]
    assert last["messages"][0]["role"] == "system"


def test_turns_are_put_one_after_the_other_and_all_chains_together(
    own: Asked, tmp_path: Path
) -> None:
    with serving() as server:
        ask(own, openai(server.url), tmp_path / "s", "audio")
    order = [name_of(body) for body in server.bodies]
    assert [sorted(order[:3]), sorted(order[3:5]), sorted(order[5:])] == [
        ["alone", "x1", "y1"], ["x2", "y2"], ["x3", "y3"],
    ]  # fmt: skip


def test_nothing_is_asked_again_and_a_changed_early_answer_is_another_request(
    own: Asked, gold: Asked, tmp_path: Path
) -> None:
    with serving() as server:
        first = ask(own, openai(server.url), tmp_path / "s", "audio")
        again = ask(own, openai(server.url), tmp_path / "s", "audio")
        assert len(server.bodies) == 7
        assert again.usage["from_store"].all()
        assert again.answers.equals(first.answers)
        # "B" and "B. a cough" are other words before the same question.
        ask(gold, openai(server.url), tmp_path / "s", "audio")
        assert sorted(map(name_of, server.bodies[7:])) == ["x2", "x3", "y2", "y3"]


def test_a_turn_without_the_answers_before_it_is_unscored_and_asked_once_they_are_there(
    own: Asked, tmp_path: Path
) -> None:
    failing = Reply(status=400, body=b"no")
    with serving(scripted(x1=failing)) as server:
        found = ask(own, openai(server.url), tmp_path / "s", "audio")
        assert sorted(map(name_of, server.bodies)) == ["alone", "x1", "y1", "y2", "y3"]
        why = dict(found.usage.filter(outcome="failed").select("qa_id", "reason").iter_rows())
        assert sorted(why) == ["x1", "x2", "x3"]
        assert "no answer of turn 1 to go on from: the server answers" in why["x2"]
        assert found.answers["response"].null_count() == 3
        server.script = scripted()
        found = ask(own, openai(server.url), tmp_path / "s", "audio")
        assert sorted(map(name_of, server.bodies[5:])) == ["x1", "x2", "x3"]
    assert not found.answers["response"].null_count()


@pytest.mark.parametrize("nothing", ["", "  \n", "<think>B, or", Reply("refusal")], ids=repr)
def test_an_empty_answer_and_a_filters_refusal_are_none_to_go_on_from(
    nothing: str | Reply, own: Asked, tmp_path: Path
) -> None:
    with serving(scripted(x2=nothing)) as server:
        found = ask(own, openai(server.url), tmp_path / "s", "audio")
    assert "x3" not in map(name_of, server.bodies)
    failed = found.usage.filter(outcome="failed")
    assert failed["qa_id"].to_list() == ["x3"]
    assert "no answer of turn 2" in failed["reason"][0]


def test_thoughts_aloud_are_not_carried(own: Asked, tmp_path: Path) -> None:
    with serving(scripted(x1="<think>Is it A?</think>B. a cough")) as server:
        ask(own, openai(server.url), tmp_path / "s", "audio")
    body = next(body for body in server.bodies if name_of(body) == "x2")
    assert talk(body)[1] == ("assistant", "B. a cough")


def test_a_chain_that_is_not_whole_is_unscored_from_its_gap_on(
    tones: list[Path], tmp_path: Path
) -> None:
    torn = asked([row for row in rows() if row["qa_id"] != "x2"], tones)
    with serving() as server:
        found = ask(torn, openai(server.url), tmp_path / "s", "audio")
    reasons = dict(found.usage.filter(outcome="failed").select("qa_id", "reason").iter_rows())
    assert reasons == {"x3": "turn 2 of its chain is not among the questions"}


def test_an_evaluation_that_is_stopped_between_turns_goes_on_there(
    own: Asked, tmp_path: Path
) -> None:
    from raqa.embeddings.hashes import HashCache
    from raqa.responders.evaluate import evaluate
    from raqa.responders.hearing import Hearing
    from raqa.responders.store import ResponseStore

    with serving() as server, ResponseStore(tmp_path / "s") as store:
        hashes = HashCache(tmp_path / "hashes")
        slow = openai(server.url, pace=Pace(concurrency=1))
        with pytest.raises(StoppedError):
            evaluate(own, slow, Hearing(), store, hashes, stop=lambda: len(server.bodies) >= 4)
        assert len(server.bodies) == 4
        evaluate(own, slow, Hearing(), store, hashes)
        assert len(server.bodies) == 7


def test_equal_chains_of_other_exams_are_not_mixed_up(tones: list[Path], tmp_path: Path) -> None:
    other = [{**row, "benchmark": "mine", "qa_id": f"other {row['qa_id']}",
              "question": f"Which is it (other {row['qa_id']})?"} for row in rows()]  # fmt: skip
    with serving(lambda text, _: Reply(text="other's" if "other" in text else "B")) as server:
        ask(asked([*rows(), *other], tones), openai(server.url), tmp_path / "s", "none")
    for body in server.bodies:
        mine = "other" not in name_of(body)
        assert all((text != "other's") == mine for role, text in talk(body) if role == "assistant")


def test_a_responder_that_can_not_be_talked_to_is_refused_before_any_work(
    own: Asked, tones: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OpenAIResponder, "converses", False)
    wanted = r"can not be asked multi_turn: set task.only.question_type=\[mcq_speech\]"
    spoken = asked([choice("v", question_type="voice_qa")], tones)
    with serving() as server:
        with pytest.raises(UserError, match=wanted):
            ask(own, openai(server.url), tmp_path / "s", "audio")
        with pytest.raises(UserError, match="can not be asked voice_qa: choose another"):
            ask(spoken, openai(server.url), tmp_path / "s", "audio")
        assert not server.bodies
        alone = replace(own, rows=own.rows.filter(qa_id="alone"))
        ask(alone, openai(server.url), tmp_path / "s", "audio")
        ask(asked([question("q")]), openai(server.url), tmp_path / "s")
        assert len(server.bodies) == 2


def test_pengi_can_not_be_talked_to() -> None:
    from raqa.responders.pengi.responder import PengiResponder

    assert not PengiResponder.converses


def test_responders_without_a_model_answer_every_turn(own: Asked, tmp_path: Path) -> None:
    for responder in (ConstantResponder(text="A"), RandomResponder()):
        found = ask(own, responder, tmp_path / "s", "audio")
        assert set(found.answers["response"]) <= {"A", "B"}
        assert found.answers.height == 7
