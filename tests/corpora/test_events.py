"""Events tables: lines to times, what lies within a recording, and rows of segments."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
import soundfile

from raqa.corpora import events
from raqa.corpora.label_table import ROW


def test_lines_keep_their_number_over_blank_ones_and_any_line_end(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\r\n0 1\tx\r\n\r\n1  2 y \r")
    (tmp_path / "b").write_bytes(b"")
    (tmp_path / "c").write_bytes(b"\xef\xbb\xbf3 4 z\n5 6\n7 8 9 10")
    files = {name: tmp_path / name for name in "abc"}
    lines = events.read_lines(files, ("start", "end", "label"))
    assert lines.select("recording_id", ROW, "start", "end", "label").rows() == [
        ("a", 2, "0", "1", "x"),
        ("a", 4, "1", "2", "y"),
        ("c", 1, "3", "4", "z"),
        ("c", 2, None, None, None),
        ("c", 3, None, None, None),
    ]
    assert lines["text"].to_list()[3:] == ["5 6", "7 8 9 10"]
    assert events.read_lines({}, ("start",)).is_empty()


def test_cells_may_be_parted_by_commas(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("101, chronic cough\n")
    lines = events.read_lines({"a": tmp_path / "a.csv"}, ("id", "word"), separator=r"\s*,\s*")
    assert lines.select("id", "word").row(0) == ("101", "chronic cough")


@pytest.mark.parametrize(
    ("written", "meant"),
    [("00:00:01.532", 1.532), ("0:1:2", 62), ("1:00:00.5", 3600.5), ("2:03", 123), ("7.25", 7.25),
     ("00:00:aa", None), ("", None), (None, None), ("1:2:3:4", None), ("-1", None)],
)  # fmt: skip
def test_clocks_are_seconds(written: str | None, meant: float | None) -> None:
    text = pl.DataFrame({"t": pl.Series([written], dtype=pl.String)})
    assert text.select(events.clock_seconds(pl.col("t"))).item() == meant


def test_numbers_are_seconds_in_the_unit_given() -> None:
    text = pl.DataFrame({"t": ["1900", " 5 ", "nan", "inf", "x", None]})
    milliseconds = text.select(events.seconds(pl.col("t"), per_second=1000)).to_series()
    assert milliseconds.to_list() == [1.9, 0.005, None, None, None, None]


def table(*spans: tuple[float | None, float | None]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "recording_id": ["a"] * len(spans),
            ROW: range(1, len(spans) + 1),
            "text": [f"{start} {end}" for start, end in spans],
            "start_s": [start for start, _ in spans],
            "end_s": [end for _, end in spans],
        },
        schema_overrides={ROW: pl.Int64, "start_s": pl.Float64, "end_s": pl.Float64},
    )


def test_events_outside_their_recording_are_set_aside_with_the_line(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", [0.0] * 8000, 4000)
    lengths = events.durations({"a": tmp_path / "a.wav", "b": tmp_path / "none.wav"})
    assert lengths.rows() == [("a", 2.0)]
    spans = table((0, 2), (1, 2.09), (None, 1), (-1, 1), (1, 1), (1, 2.2), (2, 2.05))
    good, aside = events.sift(spans, lengths, corpus="made", expected="start, end")
    assert good[ROW].to_list() == [1, 2]  # the second within what annotators round
    assert aside.select("item", "row", "value", "reason").rows() == [
        ("a", 3, "None 1", "the line is not start, end"),
        ("a", 4, "-1 1", "begins before the recording"),
        ("a", 5, "1 1", "ends where it begins or before"),
        ("a", 6, "1 2.2 in 2.0 s of audio", "reaches beyond the end of the audio"),
        ("a", 7, "2 2.05 in 2.0 s of audio", "begins after the end of the audio"),
    ]


def test_without_its_audio_an_event_of_any_length_is_kept() -> None:
    nothing = events.durations({})
    good, aside = events.sift(table((0, 900)), nothing, corpus="made", expected="")
    assert (good.height, aside.height) == (1, 0)


def test_segments_are_in_the_order_of_time_under_ids_of_their_place_in_the_file() -> None:
    recordings = pl.DataFrame({"recording_id": ["b", "a"], "age": [1.0, 2.0]})
    rows = events.segment_rows(recordings, table((3, 4), (1, 2)))
    assert rows.select("recording_id", "start_s", "end_s", "age").rows() == [
        ("a-2", 1, 2, 2), ("a-1", 3, 4, 2)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("labels", "all_in_all"),
    [(["no", "yes", None], "yes"), (["no", "no"], "no"), (["no", None], None), ([None], None)],
)
def test_a_recording_has_what_one_segment_has(
    labels: list[str | None], all_in_all: str | None
) -> None:
    heard = pl.DataFrame({"r": "a", "x": pl.Series(labels, dtype=pl.String)})
    assert heard.group_by("r").agg(x=events.any_yes("x"))["x"].item() == all_in_all
