import polars as pl
import pytest

from raqa.errors import UserError
from raqa.reports.results import RESULTS, find_runs, load_results
from raqa.reports.run_folder import read_run


def test_every_finished_run_is_a_row_with_its_numbers(make_run, tmp_path):
    path = make_run("good", skill=0.6)
    make_run("flat", skill=0.0, head="linear", seeds=(0,))
    table = load_results(tmp_path / "runs")
    assert dict(table.schema) == dict(RESULTS)
    assert table["run"].to_list() == ["good", "flat"]
    row, scores = table.row(0, named=True), read_run(path).scores
    assert row["mae_mean"] == scores.mae.mean.value
    assert row["mae_low"] < row["mae_mean"] < row["mae_high"] < row["mae_median_baseline"]
    assert row["difference_high"] < 0
    assert row["against_median"] == "above"
    assert row["seeds"] == 5
    assert row["n_test"] == scores.recordings["test"]
    assert row["path"] == str(path)


def test_an_undefined_number_is_null_and_never_zero(make_run, tmp_path):
    make_run(seeds=(0,))
    assert load_results(tmp_path / "runs")["mae_sd"].to_list() == [None]


def test_the_table_goes_to_pandas(make_run, tmp_path):
    make_run()
    frame = load_results(tmp_path / "runs").to_pandas()
    assert frame.loc[0, "encoder"] == "mel_stats"


def test_unfinished_and_damaged_runs_are_named_in_a_warning(make_run, tmp_path):
    runs = tmp_path / "runs"
    make_run("good")
    (make_run("damaged") / "predictions.parquet").write_bytes(b"PAR1")
    (make_run("stopped") / "metrics.json").unlink()
    (runs / ".killed.host-12.partial").mkdir()
    with pytest.warns(UserWarning, match=r"3 run\(s\) left out") as caught:
        table = load_results(runs)
    assert table["run"].to_list() == ["good"]
    text = str(caught[0].message)
    for name in ("damaged", "stopped", ".killed.host-12.partial"):
        assert name in text


def test_runs_are_found_in_subfolders_and_once(make_run, tmp_path):
    path = make_run("sweep/one")
    assert find_runs([tmp_path, path, path.parent]).finished == (path,)
    assert find_runs([path.parent]).problems == ()


def test_a_folder_without_runs_is_an_empty_table_with_all_columns(tmp_path):
    table = load_results(tmp_path)
    assert table.height == 0
    assert dict(table.schema) == dict(RESULTS)
    assert table.filter(pl.col("mae_mean") < 1).height == 0


def test_missing_folders_are_reported_together(tmp_path):
    with pytest.raises(UserError, match=r"no folder .*one.*\n.*no folder .*two"):
        find_runs([tmp_path / "one", tmp_path / "two"])
