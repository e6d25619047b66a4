"""`raqa evaluate`: the short form for models that others trained."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from raqa.configuration.folder import group_choices
from raqa.evaluate_command import complete
from raqa.main import USER_MISTAKE
from tests.responders.fake_server import MODEL, Reply, serving

Command = Callable[..., str]


@pytest.fixture
def small(tmp_path: Path) -> tuple[str, ...]:
    return ("datamodule.corpus.subjects=12", f"paths.runs={tmp_path / 'runs'}",
            f"paths.cache={tmp_path / 'cache'}")  # fmt: skip


def _runs(tmp_path: Path) -> list[str]:
    return sorted(path.parent.name for path in (tmp_path / "runs").glob("*/metrics.json"))


def test_it_is_the_training_command_with_less_to_type(
    raqa: Command, tmp_path: Path, small: tuple[str, ...]
) -> None:
    raqa("evaluate", "responder=random", *small)
    (name,) = _runs(tmp_path)
    shown = raqa("train", "task=qa", "head=zero_shot", "seeds=1", "responder=random", *small)
    assert _runs(tmp_path) == [name]
    assert "Finished before; force=true scores it again and asks only what is not kept." in shown


def test_scoring_again_asks_nothing_and_says_so(
    raqa: Command, tmp_path: Path, small: tuple[str, ...]
) -> None:
    with serving(lambda *_: Reply(text="yes")) as server:
        given = ("evaluate", "responder=openai", f"responder.model={MODEL}",
                 f"responder.base_url={server.url}", "head.hearing.given=none", *small)  # fmt: skip
        first = raqa(*given)
        asked = len(server.asked)
        assert f"{asked} prompts asked now, 0 from the store" in first
        second = raqa(*given, "force=true")
        assert f"0 prompts asked now, {asked} from the store" in second
        assert len(server.asked) == asked > 0
    assert len(_runs(tmp_path)) == 1


def test_a_sweep_runs_every_input(raqa: Command, tmp_path: Path, small: tuple[str, ...]) -> None:
    raqa("evaluate", "-m", "responder=constant", "head.hearing.given=audio,none", *small)
    assert [name.rsplit("-within", 1)[0] for name in _runs(tmp_path)] == [
        "demo-questions-zero_shot_constant_audio", "demo-questions-zero_shot_constant_none"
    ]  # fmt: skip


def test_its_help_says_what_can_be_chosen_with_two_examples(raqa: Command) -> None:
    shown = raqa("evaluate", "--help")
    assert shown.count("raqa evaluate ") == 2
    assert all(name in shown for name in group_choices("responder"))
    assert all(name in shown for name in ("demo/zero_shot", "ra_qa/zero_shot", "carecos/table1"))
    assert "encoder" not in shown


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("responder=openia", "Did you mean openai"),
        ("responder.txt=no", "responder.text"),
        ("head.hearing.givn=none", "Did you mean head.hearing.given"),
        ("head=fusion", "Heads are trained by `raqa train`."),
        ("head.hearing.given=smell", "head.hearing.given"),
    ],
)
def test_what_is_not_known_is_told_with_neighbours(
    given: str, told: str, raqa: Command, small: tuple[str, ...]
) -> None:
    before = () if given.startswith("responder=") else ("responder=constant",)
    assert told in raqa("evaluate", *before, given, *small, status=USER_MISTAKE)


def test_what_the_user_sets_stands_and_recipes_are_left_alone() -> None:
    assert complete(["-m", "responder=random", "seeds=[3]"]) == [
        "-m", "task=qa", "head=zero_shot", "responder=random", "seeds=[3]"
    ]  # fmt: skip
    recipe = ["-m", "+recipe=demo/zero_shot"]
    assert complete(recipe) == recipe
