"""Every shipped config builds; settings and pairs that can not work are refused together."""

from __future__ import annotations

from pathlib import Path

import pytest

from raqa.configuration.build import Experiment, build, build_node, heads_for, parse_seeds
from raqa.configuration.folder import config_folder, group_choices, group_texts
from raqa.configuration.overrides import compose_config
from raqa.errors import UserError

GROUPS = [group for group in group_texts() if not group.startswith("hydra/")]
SHIPPED = [(group, choice) for group in GROUPS for choice in group_choices(group)]
CORPORA = list(group_choices("datamodule"))


def _build(*overrides: str) -> Experiment:
    return build(compose_config(overrides))


def _problems(*overrides: str) -> str:
    with pytest.raises(UserError) as caught:
        _build(*overrides)
    return str(caught.value)


@pytest.mark.parametrize(("group", "choice"), [pair for pair in SHIPPED if pair[0] != "datamodule"])
def test_every_shipped_choice_builds(group: str, choice: str) -> None:
    own = _NEEDS[group](choice) if group in _NEEDS else []
    if (group, choice) == ("regime", "cross"):
        own = ["datamodule@regime.target=demo_clinic"]
    assert _build(f"{group}={choice}", *own).seeds


def test_a_regime_without_what_it_needs_says_what_to_choose() -> None:
    assert "datamodule@regime.target=NAME" in _problems("regime=cross")
    assert "not trained in updates" in _problems(
        "regime=low_n", "regime.equal_updates=true", "head=median"
    )


def _without_download(encoder: str) -> list[str]:
    """What lets an encoder be built on any machine: untrained, or skipped with the reason."""
    if encoder == "opensmile":
        pytest.importorskip("opensmile", reason="the optional extra opensmile is not installed")
    if encoder == "transformers_audio":
        pytest.skip(
            "needs a model of the user's; tests/encoders/test_transformers_audio.py has some"
        )
    has_weights = "weights" in compose_config([f"encoder={encoder}"]).encoder
    return ["encoder.weights=random"] if has_weights else []


_EXAM = ["task=exam", "datamodule=demo_exam", "head=zero_shot", "responder=constant"]


def _own_table(task: str) -> list[str]:
    """A corpus that has the task's label, whatever corpora are shipped."""
    if task == "qa":
        return ["head=question_prior"]
    if task == "exam":
        return _EXAM
    target = compose_config([f"task={task}"]).task.target
    column = f"+datamodule.corpus.attributes.{target}={{column: label}}"
    return ["datamodule=manifest", "datamodule.corpus.table=none.csv", column]


def _suited_task(head: str) -> list[str]:
    """The demo's age, or its sex or questions where the head does nothing else."""
    if head == "zero_shot":
        return ["task=qa", "responder=constant"]
    if head in heads_for("regression"):
        return []
    return ["task=sex"] if head in heads_for("classification") else ["task=qa"]


def _asker(responder: str) -> list[str]:
    """The head that asks, a model's name where one is needed, and nothing to be heard."""
    named = "model" in compose_config([f"responder={responder}"]).responder
    model = ["responder.model=some"] if named else []
    return ["head=zero_shot", "task=qa", "head.hearing.given=none", *model]


def _judged(judge: str) -> list[str]:
    """An exam, which has answers to be judged, and a model's name where one is needed."""
    named = "responder" in compose_config([f"judge={judge}"]).judge
    model = ["judge.responder.model=some"] if named else []
    return [*_EXAM, *model]


_NEEDS = {
    "judge": _judged,
    "task": _own_table,
    "encoder": _without_download,
    "head": _suited_task,
    "responder": _asker,
}


@pytest.mark.parametrize("name", CORPORA)
def test_every_shipped_corpus_builds(name: str) -> None:
    config = compose_config([f"datamodule={name}"])
    assert build_node(config, "datamodule.corpus").title
    assert build_node(config, "datamodule.cohort").filters is not None


def test_every_folder_of_conf_is_a_documented_group() -> None:
    folders = {path.name for path in config_folder().iterdir() if path.is_dir()}
    assert folders - {"hydra", "site"} == set(GROUPS)  # site: what launchers take from it


@pytest.mark.parametrize(("group", "choice"), SHIPPED)
def test_every_choice_says_what_it_is_in_its_first_line(group: str, choice: str) -> None:
    assert len(group_choices(group)[choice]) > 10


def test_wrong_values_name_the_setting_and_what_was_given() -> None:
    message = _problems("trainer.batch_size=0", "clip.length_s=-1", "seeds=0")
    assert "trainer.batch_size=0: input should be greater than or equal to 1" in message
    assert "clip.length_s=-1" in message
    assert "seeds=0: expected how many seeds" in message


@pytest.mark.parametrize("size", ["abc", "0", "2.5"])
def test_a_setting_of_several_types_is_one_message_without_the_types_names(size: str) -> None:
    message = _problems("regime=low_n", f"regime.size={size}")
    assert message.startswith(f"regime.size={size}: input should be ")
    assert message.endswith(", or input should be 'all'")
    assert len(message.splitlines()) == 1
    (layer,) = _problems("head.hidden=[0]").splitlines()
    assert layer.startswith("head.hidden.0=0: ")


def test_a_setting_that_its_class_does_not_know_is_refused() -> None:
    assert "encoder.colour" in _problems("+encoder.colour=red")
    assert "trainer.colour" in _problems("+trainer.colour=red")


def test_a_class_that_does_not_exist_is_named() -> None:
    assert "raqa.heads.mlp.Nothing" in _problems("head._target_=raqa.heads.mlp.Nothing")


def test_a_task_that_the_corpus_has_no_label_for_names_those_it_has() -> None:
    message = _problems("task=tb_probability")
    assert "task=tb_probability: demo has no such label. Its labels: age, bmi" in message


@pytest.mark.parametrize(
    ("head", "task", "kind"),
    [("ridge", "sex", "classification"), ("median", "sex", "classification"),
     ("prior", "age", "regression")],
)  # fmt: skip
def test_a_head_that_can_not_do_the_task_names_those_that_can(
    head: str, task: str, kind: str
) -> None:
    message = _problems(f"head={head}", f"task={task}")
    assert f"does no {kind}, which task={task} is" in message
    for able in ("knn", "linear", "mlp", "mlp_small"):
        assert able in message.split("Heads that do:")[1]
    assert head not in message.split("Heads that do:")[1].replace(",", " ").replace(".", "").split()


def test_classes_can_be_changed_on_the_command_line() -> None:
    task = _build("task=sex", "+task.classes.neither=[other]").task
    assert task.class_names == ("female", "male", "neither")
    assert _build("task=sex", "~task.classes.male", "+task.classes.others=[male,other]").task
    assert "has no label 'mal'" in _problems("task=sex", "task.classes.male=[mal]")


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["head=zero_shot"], "set responder=NAME"),
        (["responder=constant", "head=majority"], "responder: MajorityHead asks nobody"),
        (["responder=openai"], "responder.model: set it"),
        (["responder=medgemma"],
         "head.hearing.given=audio: this responder takes spectrogram, none"),
        (["responder=qwen2_audio", "head.hearing.given=both"],
         "head.hearing.given=both: this responder takes audio, none"),
        (["responder=transformers", "responder.model=m", "responder.takes=[smell]"],
         "responder.takes.0=smell: input should be"),
        (["responder=openai", "responder.model=m", "responder.decoding.temperature=9"],
         "responder.decoding.temperature=9: input should be"),
        (["responder=constant", "head.hearing.rate=3"], "head.hearing.rate=3: input should be"),
    ],
)  # fmt: skip
def test_what_a_responder_lacks_is_named_by_its_own_setting(
    overrides: list[str], message: str
) -> None:
    assert message in _problems("head=zero_shot", "task=qa", *overrides)


@pytest.mark.parametrize(
    "setting", ["responder.base_url=http://me:s3cret@host/v1", "responder.key_variable=sk-s3cret"]
)
def test_a_secret_in_the_wrong_place_is_refused_without_being_repeated(setting: str) -> None:
    message = _problems("head=zero_shot", "responder=openai", "responder.model=m", setting)
    assert setting.split("=", maxsplit=1)[0] in message
    assert "s3cret" not in message


def test_a_manifest_without_a_table_says_what_to_set() -> None:
    assert "set datamodule.corpus.table to its file" in _problems("datamodule=manifest")


@pytest.mark.parametrize("task", ["qa", "age"])
def test_heads_that_answer_hold_no_subjects_back_for_an_interval(task: str) -> None:
    settings = [f"task={task}", "head=zero_shot", "responder=constant"]
    message = _problems(*settings, "trainer.calibration=0.2")
    assert "trainer.calibration=0.2: subjects are held back for an interval" in message
    assert "ZeroShotHead answers questions" in message
    assert _build(*settings, "trainer.calibration=0")
    assert _build("task=age", "trainer.calibration=0.2")


def test_several_devices_are_refused_for_a_small_head() -> None:
    assert "trainer.devices=2: MLPHead is too small" in _problems("trainer.devices=2")


def test_a_clip_that_the_encoder_can_not_take_is_refused(monkeypatch) -> None:
    monkeypatch.setattr("raqa.encoders.mel_stats.MelStats.window_s", 2.0)
    assert _build("clip=centre_2s").clip.length_s == 2
    message = _problems("clip=whole")
    assert "MelStats takes clips of exactly 2 s" in message
    assert "clip.length_s=2" in message


@pytest.mark.parametrize(("given", "seeds"), [(3, (0, 1, 2)), ([3], (3,)), ([0, 7], (0, 7))])
def test_seeds_are_a_count_or_a_list(given: object, seeds: tuple[int, ...]) -> None:
    assert parse_seeds(given) == seeds


@pytest.mark.parametrize("given", [0, -1, True, "five", [], [1, 1], [-1], [1.5]])
def test_other_seeds_are_refused(given: object) -> None:
    with pytest.raises(UserError, match="expected how many seeds"):
        parse_seeds(given)


def test_building_opens_no_file_of_a_corpus(tmp_path: Path) -> None:
    assert (
        _build("datamodule=coswara", f"paths.data={tmp_path / 'nowhere'}").corpus.name == "coswara"
    )


def test_a_judge_without_an_exam_and_one_that_can_not_be_asked_are_refused() -> None:
    assert "judge: task=age has no answers to be judged" in _problems("judge=rules")
    exam = ["task=exam", "datamodule=demo_exam", "head=zero_shot", "responder=constant"]
    judge = [*exam, "judge=language_model"]
    assert _problems(*judge).startswith("judge.responder.model: set it to the model's name")
    named = [*judge, "judge.responder.model=some"]
    assert "judge.responder.decoding.temperature=1: a judge is asked at 0" in _problems(
        *named, "judge.responder.decoding.temperature=1"
    )
    assert "judge.longest=3" in _problems(*named, "judge.longest=3")
    assert _build(*named, "judge.responder.decoding.temperature=null").judge is not None
    other = [*judge, "responder@judge.responder=transformers", "judge.responder.model=some"]
    assert _build(*other).judge is not None
    assert _build(*exam).judge is None
