import io

import pytest
from rich.console import Console

from raqa.errors import UserError
from raqa.reports.compare_runs import compare_runs, print_comparison, verdict_text


def shown(both) -> str:
    console = Console(file=io.StringIO(), width=200)
    print_comparison(both, console)
    return " ".join(console.file.getvalue().split())


def test_the_better_run_is_named_with_the_difference_interval_and_test(make_run):
    first, second = make_run("a-1", skill=0.3), make_run("b-2", encoder="hear", skill=0.9)
    both = compare_runs(first, second, resamples=500)
    assert both.pair.better == "B"
    text = shown(both)
    assert "B is better than A by" in text
    assert "A − B: " in text
    assert "p = 0.0040 (paired bootstrap over subjects, 500 resamples)" in text
    recordings, subjects = (both.first.scores.recordings, both.first.scores.subjects)
    assert f"{recordings['test']} recordings of {subjects['test']} subjects" in text


def test_runs_that_can_not_be_told_apart_are_said_to_be_so(make_run):
    both = compare_runs(make_run("a-1"), make_run("b-2", head="linear"), resamples=200)
    assert both.pair.p.value == 1
    assert verdict_text(both) == "They can not be told apart."


def test_the_order_turns_the_sign_and_not_the_verdict(make_run):
    weak, strong = make_run("a-1", skill=0.3), make_run("b-2", skill=0.9)
    there, back = compare_runs(weak, strong), compare_runs(strong, weak)
    assert there.pair.difference.value == -back.pair.difference.value
    assert (there.pair.better, back.pair.better) == ("B", "A")


def test_random_weights_and_overlap_are_warned_of(make_run):
    random = make_run("a-1", weights="random", weights_real=False)
    seen = make_run("b-2", encoder="opera_ct", corpus="coughvid")
    plain = make_run("c-3", skill=0.2)
    assert "A: Random weights" in shown(compare_runs(random, plain))
    with pytest.raises(UserError, match="different corpora: b-2 on coughvid, c-3 on coswara"):
        compare_runs(seen, plain)


def test_a_run_against_itself_is_refused(make_run):
    path = make_run("a-1")
    with pytest.raises(UserError, match="Both are the run a-1"):
        compare_runs(path, path)


def test_another_task_is_refused(make_run):
    with pytest.raises(UserError, match=r"a-1 predicts age \(year\), b-2 TB probability"):
        compare_runs(make_run("a-1"), make_run("b-2", task="tb_probability", unit="probability"))


def test_other_test_recordings_are_refused_with_how_many_and_which(make_run):
    first, second = make_run("a-1", subjects=400), make_run("b-2", subjects=200)
    with pytest.raises(UserError, match=r"different recordings.*Only A: [\d,]+ \(coswara/r"):
        compare_runs(first, second)


def test_unfinished_and_absent_runs_are_all_named_at_once(make_run, tmp_path):
    stopped = make_run("stopped-3c")
    (stopped / "metrics.json").unlink()
    make_run("good-1a")
    with pytest.raises(UserError) as refusal:
        compare_runs(stopped, tmp_path / "runs" / "goud-1a")
    text = str(refusal.value)
    assert "stopped-3c is not a finished run" in text
    assert "Did you mean good-1a?" in text
