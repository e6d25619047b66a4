"""A small synthetic exam with every type of question, made on the spot."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora.base import Recordings
from raqa.errors import UserError
from raqa.exams.corpus import ExamCorpus
from raqa.exams.demo_sounds import GAP_S, RATE, Sound, draw_sound, samples_of, write_wav
from raqa.exams.write import write_exam
from raqa.folders import make_folder
from raqa.tables import EXAM, EXAM_FORMS

FILE = "demo_exam.jsonl"
SUBJECTS = 12
_MADE = 1_577_836_800  # 2020-01-01: files made twice must not look like other files
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth")  # fmt: skip
_KINDS = {
    "cough": ("mcq_sound_cough",), "heart": ("mcq_sound_heart",), "lung": ("mcq_sound_lung",),
    "speech": ("mcq_speech", "multi_turn", "oe_speech", "voice_qa"),
    "speech_sound": ("mcq_speech_sound", "oe_speech_sound"), "long": ("mcq_long_form",),
}  # fmt: skip
_NOUNS = {"cough": "cough", "heart": "heart beat", "lung": "breath"}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class DemoExam(ExamCorpus):
    """The same as a datamodule: written where `file` is when it is first read."""

    title = "SYNTHETIC exam with every type of question, made on the spot; says nothing on people"
    licence = "CC0 1.0 (synthetic)"
    how_to_get = "nothing to get: it is made when it is first read"
    synthetic = True

    def read(self) -> Recordings:
        """Read the questions, after making them if they are not there."""
        if self.file is not None and not self.file.is_file():
            write_demo(self.file.parent)
        return super().read()


def write_demo(folder: Path) -> Path:
    """Write the exam and its audio into a folder of its own; the same bytes everywhere.

    Returns:
        the file of questions.

    Raises:
        UserError: there is something in the folder already.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"--out {folder} is there already; name another folder.")
    make_folder(folder.parent)
    draft = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".making-"))
    try:
        make_folder(draft / "audio")
        rows = [row for subject in range(SUBJECTS) for row in _subject(subject, draft)]
        for row in rows:
            row["form"] = EXAM_FORMS[row["benchmark"]][row["question_type"]]
        write_exam(pl.DataFrame(rows, schema=dict(EXAM)), draft / FILE)
        os.utime(draft / FILE, (_MADE, _MADE))
        draft.chmod(0o755)
        if folder.is_dir():
            folder.rmdir()
        try:
            draft.rename(folder)
        except OSError:
            if not (folder / FILE).is_file():  # else another process was quicker
                raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder / FILE


def _subject(subject: int, folder: Path) -> Iterator[dict[str, Any]]:
    """A subject's recordings, written, and the questions about them."""
    for number, (kind, types) in enumerate(_KINDS.items()):
        draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence([subject, number])))
        sounds = [draw_sound(one, draw) for one in _parts(kind)]
        name = f"s{subject:02}_{kind}"
        file = folder / "audio" / f"{name}.wav"
        write_wav(file, np.concatenate([samples_of(sound, draw) for sound in sounds]))
        os.utime(file, (_MADE, _MADE))
        corpus = f"demo_{kind if kind in _NOUNS else 'speech'}"
        base = {
            "corpus": corpus, "recording_id": name, "subject_id": f"s{subject:02}",
            "audio": f"audio/{name}.wav",
        }  # fmt: skip
        for question_type in types:
            for row in _medmosaic(question_type, sounds, draw):
                # Half of it says that it is real, so that reports have both.
                yield {**base, **row, "qa_id": f"{name}-{row['qa_id']}", "benchmark": "medmosaic",
                       "question_type": question_type, "difficulty": _difficulty(sounds),
                       "audio_source": ("real", "synthetic")[subject % 2]}  # fmt: skip
        if kind in _NOUNS:
            for row in _carecos(kind, sounds[0]):
                yield {**base, **row, "qa_id": f"{name}-{row['qa_id']}", "benchmark": "carecos"}


def _parts(kind: str) -> Sequence[str]:
    return {"speech_sound": ("speech", "cough"), "long": ("speech",) * 4}.get(kind, (kind,))


def _difficulty(sounds: Sequence[Sound]) -> str:
    most = max(one.events for one in sounds)
    return "easy" if most <= 4 else "medium" if most <= 7 else "hard"


def _medmosaic(
    question_type: str, sounds: Sequence[Sound], draw: np.random.Generator
) -> Iterator[dict[str, Any]]:
    first, last = sounds[0], sounds[-1]
    if question_type == "multi_turn":
        yield from _chain(first, draw)
    elif question_type == "oe_speech":
        yield {"qa_id": question_type, "question": "Describe what the voice does.",
               "answer": f"It sounds {_WORDS[first.events - 1]} times, loudest the "
               f"{_NTH[first.loudest - 1]} time."}  # fmt: skip
    elif question_type == "oe_speech_sound":
        yield {"qa_id": question_type, "question": "What is heard after the voice?",
               "answer": f"The voice is followed by {_WORDS[last.events - 1]} coughs."}  # fmt: skip
    else:
        noun = _NOUNS.get(last.kind, "voiced sound")
        asked = f"How many {noun}s are there, and where does the loudest one stand?"
        if len(sounds) > 2:
            asked = f"In the last quarter: {asked[0].lower()}{asked[1:]}"
        yield {"qa_id": question_type, "question": asked,
               **_offered(_counts(last, noun, draw), draw)}  # fmt: skip


def _counts(sound: Sound, noun: str, draw: np.random.Generator) -> list[str]:
    """Ten texts that share their words, the right one first."""
    lowest = max(2, sound.events - int(draw.integers(0, 5)))
    counts = [lowest + step for step in range(5)]
    places = ("in the first half", "in the second half")
    half = places[sound.loudest > (sound.events + 1) / 2]
    texts = [f"{_WORDS[n - 1] if n <= 10 else n} {noun}s, the loudest {place}"
             for n in counts for place in places]  # fmt: skip
    right = f"{_WORDS[sound.events - 1]} {noun}s, the loudest {half}"
    return [right, *(text for text in texts if text != right)]


def _offered(texts: Sequence[str], draw: np.random.Generator) -> dict[str, Any]:
    return {"options": [texts[place] for place in draw.permutation(len(texts))],
            "answer": texts[0]}  # fmt: skip


def _chain(sound: Sound, draw: np.random.Generator) -> Iterator[dict[str, Any]]:
    pitches = [f"about {20 * step} Hz" for step in range(5, 15)]
    turns = (
        ("At which pitch is the voice?", pitches, f"about {sound.pitch} Hz"),
        ("How many times does this voice sound?", [f"{word} times" for word in _WORDS],
         f"{_WORDS[sound.events - 1]} times"),
        ("Which of these times is the loudest?", [f"the {nth} time" for nth in _NTH],
         f"the {_NTH[sound.loudest - 1]} time"),
    )  # fmt: skip
    name = f"chain-{draw.integers(1 << 30):08x}"
    for turn, (question, options, right) in enumerate(turns, start=1):
        texts = [right, *(one for one in options if one != right)]
        yield {"qa_id": f"turn{turn}", "question": question, "chain": name, "turn": turn,
               **_offered(texts, draw)}  # fmt: skip


def _carecos(kind: str, sound: Sound) -> Iterator[dict[str, Any]]:
    noun, count = _NOUNS[kind], _WORDS[sound.events - 1]
    half = "second" if sound.loudest > (sound.events + 1) / 2 else "first"
    asked = [
        ("explicit", "At which rate was this recorded?", f"It was recorded at {RATE} Hz."),
        ("explicit", f"How many {noun}s are there, and when does the first one begin?",
         f"There are {count} {noun}s; the first begins at {sound.start_s} s."),
        ("inferred", "Does the effort grow or fade over time?",
         f"The {noun}s are strongest in the {half} half, so the effort "
         f"{'grows' if half == 'second' else 'fades'}."),
    ]  # fmt: skip
    if kind == "lung":
        means, tone = ("narrowed", "a") if sound.wheeze else ("open", "no")
        asked.append(
            (
                "inferred",
                "What does this sound suggest?",
                f"It suggests {means} airways: {tone} continuous tone goes through it.",
            )
        )
    else:
        asked.append(("inferred", f"Do the {noun}s come in a regular rhythm?",
                      f"Yes, they are regular: one follows every {GAP_S} s."))  # fmt: skip
    for number, (question_type, question, answer) in enumerate(asked, start=1):
        yield {"qa_id": f"{question_type}{number}", "question_type": question_type,
               "question": question, "answer": answer}  # fmt: skip
