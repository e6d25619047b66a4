"""All types of MedMosaic and CaReCoS, end to end: a fake model answers, a fake judge judges.

Both are one server on the loopback address that says so of itself; nothing of what it says is a
result.
"""

from __future__ import annotations

import hashlib
import io
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from rich.console import Console

from raqa.audio.decode import decode
from raqa.audio.waveform import AudioError
from raqa.configuration.overrides import compose_choices
from raqa.display import harmless
from raqa.reports.console import print_run
from raqa.reports.recipes.cells import RecipeFacts, ReportCell
from raqa.reports.recipes.write import make_recipe_report
from raqa.reports.report import write_report
from raqa.reports.run_tables import Run
from raqa.run import run
from raqa.tables import EXAM_FORMS
from tests.exams.made_exams import OPTIONS, write_lines
from tests.responders.fake_server import FakeServer, Reply, serving

TYPES = [(name, kind) for name in ("medmosaic", "carecos") for kind in EXAM_FORMS[name]]
COUNT = 4
"""Recordings, each of a subject of its own."""
JUDGES = "You check a student's answer"
needs_espeak = pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is absent")


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest()) % 100


def _script(text: str, _: int) -> Reply:
    """A model that chooses by hash; a judge that fails for a fifth of the answers."""
    number = _number(text)
    if JUDGES not in text:
        return Reply(text="ABCDEFGHIJ"[number % 10] if "letter" in text else f"Perhaps {number}.")
    if number < 10:
        return Reply(text="I would rather write a poem.")
    if number < 15:
        return Reply("refusal")
    if number < 20:
        return Reply("timeout")
    grades = ", ".join(f'"{name}": {1 + number % 3}' for name in
                       ("correctness", "relevance", "completeness", "clarity"))  # fmt: skip
    verdict = f'"verdict": "{"right" if number % 2 else "wrong"}"'
    return Reply(text=f'{{"reason": "so it is", {grades if "criteria" in text else verdict}}}')


def _rows(audio: Sequence[str]) -> list[dict[str, Any]]:
    """A question of every type about each recording."""
    rows: list[dict[str, Any]] = []
    for number, name in enumerate(audio):
        for benchmark, kind in TYPES:
            base = {
                "qa_id": f"{kind}-{number:02}", "benchmark": benchmark, "question_type": kind,
                "corpus": "some", "recording_id": f"r{number}", "subject_id": f"s{number}",
                "audio": name, "question": f"What is heard in number {number}?",
                "answer": OPTIONS[number % 10],
            }  # fmt: skip
            if EXAM_FORMS[benchmark][kind] == "choice":
                base |= {"options": OPTIONS, "difficulty": ("easy", "hard")[number % 2]}
            turns = (1, 2, 3) if kind == "multi_turn" else (0,)
            for turn in turns:
                chained = {"qa_id": f"{base['qa_id']}-{turn}", "chain": f"c{number}", "turn": turn}
                rows.append({**base, **(chained if turn else {})})
    return rows


def _usable(file: Path) -> bool:
    """Whether there is sound in a file: some of the real ones have none."""
    try:
        decode(file)
    except AudioError:
        return False
    return True


@pytest.fixture(params=["made", "real"])
def exam(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """Settings of an exam about a few recordings."""
    if request.param == "made":
        folder = tmp_path / "sounds"
        folder.mkdir()
        for number in range(COUNT):
            noise = np.random.default_rng(number).normal(0, 0.1, 4000)
            soundfile.write(folder / f"{number}.wav", noise, 4000)
    else:
        folder = request.getfixturevalue("test_data")
    found = sorted(folder.rglob("*.wav"))
    places = np.linspace(0, len(found) - 1, 3 * COUNT).astype(int)
    usable = filter(_usable, (found[place] for place in dict.fromkeys(places)))
    audio = [next(usable).relative_to(folder).as_posix() for _ in range(COUNT)]
    file = write_lines(tmp_path / "small.jsonl", _rows(audio))
    return [f"datamodule.corpus.file={file}", f"datamodule.corpus.data={folder}"]


def _sit(server: FakeServer, tmp_path: Path, *settings: str, judge: bool = True) -> Run:
    judging = [
        "judge=language_model", f"judge.responder.base_url={server.url}",
        "judge.responder.model=fake-judge", "judge.responder.timeout_s=0.5",
        "judge.responder.pace.attempts=1",
    ]  # fmt: skip
    asked = [
        "task=exam", "datamodule=exam", "head=zero_shot", "seeds=1", *(judging if judge else []),
        "responder=openai", f"responder.base_url={server.url}", "responder.model=fake",
        f"paths.runs={tmp_path / 'runs'}", f"paths.cache={tmp_path / 'cache'}",
        "head.hearing.clip.length_s=2", *settings,
    ]  # fmt: skip
    config, choices = compose_choices(asked, ())
    return run(config, choices, Console(file=io.StringIO()))


@needs_espeak
def test_every_type_is_asked_judged_and_shown_in_both_layouts(
    exam: list[str], tmp_path: Path
) -> None:
    with serving(_script) as server:
        heard = _sit(server, tmp_path, *exam)
        before = len(server.asked)
        again = _sit(server, tmp_path, *exam, "force=true")
        anew = server.texts()[before:]
        deaf = _sit(server, tmp_path, *exam, "head.hearing.given=none")
        read = _sit(server, tmp_path, *exam, judge=False)
    _failed_judgements_are_unscored_and_told(heard, tmp_path)
    assert again.exam == heard.exam
    assert all(JUDGES in text for text in anew)  # no answer was asked for again
    failed = {text.partition("\n\nYour last reply")[0] for text in anew}
    assert 0 < len(failed) <= heard.exam.all.counts.unscored
    _layouts(heard, deaf)
    assert "No-audio baseline: this is it" in _printed(deaf)
    assert "no-audio baseline" in _printed(heard)
    assert "No-audio baseline: not run" in _printed(read)  # that one was judged by another


def _failed_judgements_are_unscored_and_told(sat: Run, tmp_path: Path) -> None:
    counts = sat.exam.all.counts
    assert {part.name for part in sat.exam.parts if part.by == "question_type"} == {
        kind for _, kind in TYPES
    }
    assert counts.expected == COUNT * (len(TYPES) + 2)
    assert 0 < counts.unscored == counts.expected - counts.scored
    assert sum(count for _, count in counts.reasons) == counts.unscored
    for part in sat.exam.parts:
        if part.by == "question_type" and EXAM_FORMS["medmosaic"].get(part.name) == "choice":
            assert part.counts.unscored == 0  # rules read these
    text = _printed(sat)
    assert "unscored" in text
    assert harmless(counts.reasons[0][0])[:30] in text
    write_report([sat], tmp_path / "page")
    assert "Unscored" in (tmp_path / "page" / "report.html").read_text(encoding="utf-8")


def _printed(sat: Run) -> str:
    console = Console(file=io.StringIO(), width=200)
    print_run(sat, console)
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def _layouts(heard: Run, deaf: Run) -> None:
    cells = [
        ReportCell({"responder": "openai", "responder.model": "fake",
                    "head.hearing.given": given}, sat)
        for given, sat in (("audio", heard), ("none", deaf))
    ]  # fmt: skip
    for parts in (("question_type", "difficulty"), ("corpus",)):
        report = make_recipe_report(RecipeFacts("some/table", "Some", "exam", None, parts), cells)
        table = report.tables[0]
        assert [row[0].lines[0] for row in table.rows] == ["fake, audio", "fake, none"]
        assert any(line.startswith("n ") and " of " in line for line in table.rows[0][1].lines)
        assert report.tables[1].rows[0][0].lines == ("fake, audio − fake, none",)


@needs_espeak
def test_chains_are_carried_both_ways_and_are_other_runs(exam: list[str], tmp_path: Path) -> None:
    only = "task.only.question_type=[multi_turn]"
    told = {}
    with serving(_script) as server:
        for carried in ("own", "gold"):
            before = len(server.bodies)
            sat = _sit(server, tmp_path, *exam, only, f"task.carried={carried}")
            told[carried] = [
                [str(one["content"]) for one in body["messages"] if one["role"] == "assistant"]
                for body in server.bodies[before:]
            ]
    assert sat.exam.chains is not None
    assert sat.exam.chains.chains == COUNT
    later = {carried: [said for said in turns if said] for carried, turns in told.items()}
    assert {len(turns) for turns in later.values()} == {2 * COUNT}
    right = {"ABCDEFGHIJ"[number % 10] for number in range(COUNT)}
    assert {text[0] for said in later["gold"] for text in said} == right
    assert later["own"] != later["gold"]
