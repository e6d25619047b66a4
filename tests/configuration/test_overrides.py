"""What is typed is checked before any work: every fault, with its neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest

from raqa.configuration.overrides import check_overrides, compose_config
from raqa.errors import UserError


def _problems(*overrides: str) -> str:
    with pytest.raises(UserError) as caught:
        check_overrides(overrides)
    return str(caught.value)


def test_a_misspelt_choice_names_the_near_one_and_all_others() -> None:
    message = _problems("head=mlp_smal")
    assert "head=mlp_smal: there is no head of that name. Did you mean mlp_small" in message
    assert "Choices: fusion, knn, linear, majority, median, mlp, mlp_small, prior" in message


def test_a_misspelt_group_names_the_near_one() -> None:
    assert "encodr: there is no such setting. Did you mean encoder?" in _problems(
        "encodr=mel_stats"
    )


def test_a_misspelt_setting_names_its_siblings() -> None:
    message = _problems("trainer.max_epoch=3")
    assert "Did you mean trainer.max_epochs" in message
    assert "trainer.patience" in message


def test_a_setting_of_another_group_is_found_nowhere_else() -> None:
    assert "max_epochs: there is no such setting" in _problems("max_epochs=3")


def test_an_added_setting_that_nothing_reads_is_refused() -> None:
    assert "colour: there is no such setting" in _problems("+colour=red")


def test_all_faults_are_reported_together() -> None:
    message = _problems("head=mlq", "encoder=mel_stat", "encodr=x")
    assert message.count("\n") == 1  # groups first: settings can not be judged without them
    assert "head=mlq" in message
    assert "encoder=mel_stat" in message
    message = _problems("trainer.epochs=3", "clip.len=2", "seed=3")
    assert message.count("\n") == 2


def test_every_choice_of_a_sweep_is_checked() -> None:
    with pytest.raises(UserError, match="head=mlq"):
        check_overrides(["head=linear,mlq"], sweep=True)
    check_overrides(["head=linear,mlp_small", "encoder=glob(*)", "seeds=1,2"], sweep=True)


def test_several_choices_without_multirun_say_how_to_sweep() -> None:
    assert "head=linear,mlp: several choices are a sweep; add -m" in _problems("head=linear,mlp")


def test_a_group_can_not_be_left_empty_or_added_twice() -> None:
    assert "head=null: one has to be chosen" in _problems("head=null")
    assert "write it without the +" in _problems("+head=mlp")


def test_what_hydra_refuses_is_one_message() -> None:
    message = _problems("datamodule.cohort.filters={age: {min: 3}}")
    assert "Could not override" in message
    assert "\n" not in message


def test_a_glob_that_matches_nothing_is_refused() -> None:
    with pytest.raises(UserError, match="matches nothing"):
        check_overrides(["head=glob(x*)"], sweep=True)


def test_what_is_no_override_is_said_to_be_none() -> None:
    assert "can not be read as KEY=VALUE" in _problems("seeds=[1,")
    assert "quotes" not in _problems("seeds=[1,")


def test_a_name_with_other_letters_is_told_with_the_quotes_it_needs() -> None:
    assert """quotes that the shell leaves: "paths.runs='läufe & co'\"""" in _problems(
        "paths.runs=läufe & co"
    )
    check_overrides(["paths.runs='läufe & co'"])


def test_a_cohort_filter_can_be_added_with_a_plus() -> None:
    check_overrides(["+datamodule.cohort.filters.sex=female"])
    message = _problems("datamodule.cohort.filters.sex=female")
    assert "write +datamodule.cohort.filters.sex=female" in message


def test_settings_that_exist_pass_and_reach_the_config() -> None:
    config = compose_config(["trainer.max_epochs=3", "head=linear", "~debug"])
    assert config.trainer.max_epochs == 3
    assert config.head.hidden == []


def test_a_folder_of_own_configs_adds_choices(tmp_path: Path) -> None:
    (tmp_path / "head").mkdir()
    (tmp_path / "head" / "mine.yaml").write_text("# Mine\n_target_: raqa.heads.mlp.MLPHead\n")
    check_overrides(["head=mine"], [tmp_path])
    assert compose_config(["head=mine"], [tmp_path]).head._target_ == "raqa.heads.mlp.MLPHead"
    assert "there is no head of that name" in _problems("head=mine")


def test_a_second_corpus_is_chosen_with_its_place_and_checked_like_the_first() -> None:
    config = compose_config(["regime=cross", "datamodule@regime.target=demo_clinic"])
    assert config.regime.target.corpus.name == "demo_clinic"
    message = _problems("regime=cross", "datamodule@regime.target=demo_clinik")
    assert "datamodule@regime.target=demo_clinik: there is no datamodule" in message
    assert "Did you mean demo_clinic" in message
    check_overrides(["regime=cross", "datamodule@regime.target=demo_clinic,demo"], sweep=True)


def test_a_place_that_the_chosen_group_lacks_is_explained() -> None:
    message = _problems("datamodule@regime.target=demo_clinic")
    assert "the chosen regime has no target" in message


def test_a_group_inside_another_choice_is_chosen_with_its_place() -> None:
    message = _problems("judge=language_model", "judge.responder=constant")
    assert message.endswith("write responder@judge.responder=constant.")


def test_a_column_may_be_called_as_a_group_is() -> None:
    check_overrides(["datamodule=manifest", "datamodule.corpus.columns.split=side"])
