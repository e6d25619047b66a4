import pytest

from raqa.metrics.groups import errors_by_group
from raqa.reports.plots import MANY_POINTS, comparison, error_by_group, predicted_against_true
from raqa.reports.run_folder import read_run
from raqa.reports.svg import inline_svg


def texts(figure) -> str:
    axes = figure.axes[0]
    labels = [axes.get_xlabel(), axes.get_ylabel(), *(t.get_text() for t in axes.get_yticklabels())]
    return " | ".join([*labels, *(text.get_text() for text in figure.texts)])


def test_predicted_against_true_shows_every_test_recording_once(make_run):
    run = read_run(make_run())
    figure = predicted_against_true(run)
    (points,) = figure.axes[0].collections
    assert len(points.get_offsets()) == run.scores.recordings["test"]
    assert "true age (year) | predicted age (year)" in texts(figure)


def test_predictions_are_averaged_over_seeds(make_run):
    run = read_run(make_run())
    first = run.predictions.filter(recording_id=run.predictions["recording_id"][0])
    points = predicted_against_true(run).axes[0].collections[0].get_offsets()
    expected = [first["truth"][0], first["prediction"].mean()]
    assert points[0].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("facts", "mark"),
    [
        ({"weights": "random", "weights_real": False}, "not a result"),
        ({"synthetic": True}, "synthetic data"),
    ],
)
def test_a_plot_of_what_is_not_real_says_so_across_it(make_run, facts, mark):
    assert mark in texts(predicted_against_true(read_run(make_run(**facts))))
    assert mark not in texts(predicted_against_true(read_run(make_run("real"))))


def test_error_by_group_names_every_group(make_run):
    run = read_run(make_run())
    groups = errors_by_group(run.predictions, run.fold, "age", resamples=50)
    text = texts(error_by_group(run, groups))
    for name in ("age under 18", "age 60 and over", "female", "male", "sex unknown"):
        assert name in text


def test_the_smallest_error_is_on_top_of_a_comparison(make_run):
    runs = [read_run(make_run("weak", skill=0.2)), read_run(make_run("strong", skill=0.8))]
    labels = comparison(runs, ["weak", "strong"]).axes[0].get_yticklabels()
    assert [label.get_text() for label in labels] == ["weak", "strong"]  # from the bottom


def test_an_inline_picture_follows_the_theme_and_escapes_its_description(make_run):
    run = read_run(make_run())
    svg = inline_svg(predicted_against_true(run), name="a", description='5 < 6 "& more"')
    assert svg.startswith("<svg")
    assert "var(--model)" in svg
    assert "#0072b2" not in svg
    assert 'aria-label="5 &lt; 6 &quot;&amp; more&quot;"' in svg
    assert "http" not in svg
    assert svg == inline_svg(predicted_against_true(run), name="a", description='5 < 6 "& more"'), (
        "the same run gives the same picture"
    )


def test_very_many_points_become_pixels_so_that_the_page_stays_small(make_run):
    run = read_run(make_run(subjects=5600, seeds=(0,)))
    assert run.scores.recordings["test"] > MANY_POINTS
    svg = inline_svg(predicted_against_true(run), name="a", description="")
    assert "data:image/png;base64" in svg
    assert len(svg) < 400_000
