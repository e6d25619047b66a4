"""Times making eight million questions against writing the same columns already made.

A table as large as UK COVID-19's (213,492 recordings) with 38 attributes is asked with 48 wordings.
The same row groups, already made, are then written alone, in the same run. Each size is a process
of its own, so that its peak memory is its own. With --check the exit status is 1 where a goal is
missed.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq
from rich.console import Console

from raqa.corpora.attributes import ATTRIBUTES
from raqa.questions.block import SCHEMA
from raqa.questions.collection import PARQUET, Part, write
from raqa.questions.generate import Generator, QuestionSettings
from raqa.questions.templates import AttributeTemplates, Templates, load_templates
from raqa.tables import QUESTION_TYPES, SIDES

RECORDINGS, SUBJECTS_SHARE = 213_492, 0.34  # of UK COVID-19: 72,999 participants
ATTRIBUTE_COUNT, WORDING_COUNT = 38, 48
LEAST_ROWS = 8_000_000
MOST_RATIO = 10.0  # times writing the same columns already made
MOST_MEMORY = 1024.0  # MiB of resident memory
MOST_CURVE = 1.3  # processor seconds a row of the largest over those of the smallest


def main() -> int:
    """Measure a quarter, a half and all; print; say whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recordings", type=int, default=RECORDINGS)
    parser.add_argument("--check", action="store_true", help="fail where a goal is missed")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(given.recordings)))
        return 0
    console, found = Console(), []
    for part in (4, 2, 1):
        found.append(_in_own_process(given.recordings // part))
        one = found[-1]
        console.print(
            f"{one['rows']:>10,.0f} rows from {given.recordings // part:,} recordings: "
            f"{one['seconds']:.1f} s, {one['busy'] / one['rows'] * 1e6:.2f} µs of processor a row, "
            f"{one['seconds'] / one['writing']:.2f} times writing alone ({one['writing']:.1f} s), "
            f"{one['memory']:.0f} MiB, {one['bytes'] / 2**20:.0f} MiB on disk", highlight=False,
        )  # fmt: skip
    whole, quarter = found[-1], found[0]
    curve = (whole["busy"] / whole["rows"]) / (quarter["busy"] / quarter["rows"])
    console.print(
        f"processor seconds a row, all over a quarter: {curve:.2f} (goal: at most {MOST_CURVE:g})"
    )
    console.print(f"goals: {LEAST_ROWS:,} rows, {MOST_RATIO:g} times, {MOST_MEMORY:g} MiB")
    met = (
        whole["rows"] > LEAST_ROWS
        and whole["seconds"] / whole["writing"] < MOST_RATIO
        and max(one["memory"] for one in found) < MOST_MEMORY
        and curve < MOST_CURVE
    )
    return 0 if met or not given.check else 1


def measure(recordings: int) -> dict[str, float]:
    """Generate and write once, then write the same row groups that are already made."""
    table, templates = make_table(recordings), make_templates()
    with tempfile.TemporaryDirectory() as place:
        begun, busy = time.perf_counter(), time.process_time()
        generator = Generator(table, templates, QuestionSettings(wordings="all"))
        collection = write(Path(place) / "made", [Part("bench", generator.blocks())], {}, "")
        seconds, busy = time.perf_counter() - begun, time.process_time() - busy
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        file = collection.file("bench")
        return {
            "rows": collection.facts["rows"], "seconds": seconds, "busy": busy, "memory": memory,
            "writing": write_again(file, Path(place) / "again.parquet"),
            "bytes": file.stat().st_size,
        }  # fmt: skip


def write_again(made: Path, again: Path) -> float:
    """Seconds of writing alone, from dictionary columns as the generator hands them over."""
    seconds = 0.0
    encoded = [name for name in SCHEMA.names if name not in {"qa_id", "value", "options"}]
    source = pq.ParquetFile(made, read_dictionary=[*encoded, "options.list.element"])
    with pq.ParquetWriter(again, SCHEMA, **PARQUET) as writer:
        for group in range(source.num_row_groups):
            block = source.read_row_group(group).cast(SCHEMA)
            begun = time.perf_counter()
            writer.write_table(block, row_group_size=block.num_rows)
            seconds += time.perf_counter() - begun
    return seconds


def make_templates() -> Templates:
    """The shipped templates of ATTRIBUTE_COUNT attributes, cut to WORDING_COUNT wordings."""
    shipped = load_templates().by_attribute
    names = [name for name, one in shipped.items()
             if one.wordings and one.attribute.kind != "multilabel"
             and (one.attribute.labels or one.attribute.kind == "numeric")]  # fmt: skip
    chosen: dict[str, AttributeTemplates] = {}
    extra = WORDING_COUNT - ATTRIBUTE_COUNT
    for name in names[:ATTRIBUTE_COUNT]:
        one = shipped[name]
        firsts = [one.of_type(kind)[0] for kind in QUESTION_TYPES if one.of_type(kind)]
        wanted = firsts if 1 < len(firsts) <= extra + 1 else firsts[:1]
        extra -= len(wanted) - 1
        chosen[name] = replace(one, wordings=tuple(wanted))
    assert sum(len(one.wordings) for one in chosen.values()) == WORDING_COUNT
    return Templates(chosen)


def make_table(recordings: int) -> pl.DataFrame:
    """Recordings of made-up people with every attribute that is asked about."""
    generator = np.random.default_rng(0)
    people = int(recordings * SUBJECTS_SHARE)
    subject = generator.integers(0, people, recordings)
    columns: dict[str, object] = {
        "recording_id": [f"audio_{place:08d}_{place * 2654435761 % 2**32:08x}.wav"
                         for place in range(recordings)],
        "corpus": ["bench"] * recordings,
        "subject_id": [f"participant_{one:06d}" for one in subject],
        "side": np.array(SIDES)[generator.choice(3, people, p=[0.7, 0.15, 0.15])[subject]],
    }  # fmt: skip
    for name in make_templates().by_attribute:
        attribute = ATTRIBUTES[name]
        if attribute.kind == "numeric":
            low, high = attribute.low or 0.0, attribute.high or 100.0
            columns[name] = generator.uniform(low, high, recordings)
        else:
            columns[name] = np.array(attribute.labels)[
                generator.integers(0, len(attribute.labels), recordings)
            ]
    return pl.DataFrame(columns)


def _in_own_process(recordings: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", "--recordings", str(recordings)]
    found: dict[str, float] = json.loads(subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout)  # fmt: skip
    return found


if __name__ == "__main__":
    sys.exit(main())
