"""SPRSound in miniature: 14 children, a training and two test parts.

The children of the intra part are in training too, one of them older there than before. Events are
unsorted, empty, with times as text; a file has the record's class under the documented name.
Faults: JSON that is none, a recording without JSON and the other way round, impossible events.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.corpora.miniatures.sound import write_sound, write_twin

SECONDS = 9.216
CLASSES = ("Normal", "CAS", "DAS", "CAS & DAS")
FAULTY = "40000001_5.0_1_p1_900"
POOR = "40000002_0.3_0_p4_901"
SILENT = "40000003_6.0_0_p2_902"
WITHOUT_NOTES = "40000004_7.0_1_p3_903"
BROKEN = "40000005_7.5_1_p3_904"
OLDER = ("40000000_3.3_0_p1_1", "40000000_3.9_0_p2_700")


def write(root: Path) -> None:
    """Write the official layout."""
    for child in range(10):
        for place in (1, 3):
            name = f"4000000{child}_{3.3 + child:.1f}_{child % 2}_p{place}_{child * 10 + place}"
            _write(root, "train", name, child + place // 2)
    for child in range(4):
        _write(root, "inter", f"5000000{child}_{0.8 + child:.1f}_{child % 2}_p2_{child}", child)
    for child in range(3):
        age = 3.9 if child == 0 else 3.3 + child
        _write(root, "intra", f"4000000{child}_{age:.1f}_{child % 2}_p2_70{child}", child)
    _write_faults(root)
    write_twin(root / "__MACOSX" / "BioCAS2022" / "train2022_wav" / f"{OLDER[0]}.wav")
    write_twin(_note(root, "train", OLDER[0]))


def _write(root: Path, part: str, name: str, number: int) -> None:
    label = CLASSES[number % 4]
    crackle, wheeze = "DAS" in label.split(" & "), "CAS" in label.split(" & ")
    write_sound(_wav(root, part, name), SECONDS, rate=8000, crackle=crackle, wheeze=wheeze)
    events = [{"start": "5182", "end": "7542", "type": "Normal"}]
    if crackle and wheeze:
        events.append({"start": "120", "end": "1500", "type": "Wheeze+Crackle"})
    elif crackle:
        events.append({"start": "120", "end": "1500", "type": "Fine Crackle"})
        events.append({"start": "1900", "end": "2500", "type": "Coarse Crackle"})
    elif wheeze:
        events.append({"start": "120", "end": "1500", "type": "Wheeze"})
        events.append({"start": "1900", "end": "2500", "type": "Rhonchi"})
    field = "recording_annotation" if number == 3 else "record_annotation"
    _write_note(root, part, name, {field: label, "event_annotation": events})


def _write_faults(root: Path) -> None:
    for name in (FAULTY, POOR, WITHOUT_NOTES, BROKEN):
        write_sound(_wav(root, "train", name), SECONDS, rate=8000)
    poor = {"record_annotation": "Poor Quality", "event_annotation": []}
    _write_note(root, "train", POOR, poor)
    silent = {"event_annotation": [{"start": 100, "end": 900, "type": "Stridor"}]}
    _write_note(root, "train", SILENT, {"record_annotation": "CAS", **silent})
    _write_note(root, "train", FAULTY, {
        "record_annotation": "Noise",
        "event_annotation": [
            {"start": "100", "end": "900", "type": "Normal"},
            {"start": "early", "end": "900", "type": "Normal"},
            {"start": "900", "end": "100", "type": "Normal"},
            {"start": "900", "end": "99000", "type": "Normal"},
            {"start": "1000", "end": "1900", "type": "Squeak"},
            {"start": "2000", "type": "Normal"},
        ],
    })  # fmt: skip
    _note(root, "train", BROKEN).write_text('{"record_annotation": ')
    write_sound(_wav(root, "train", "notes"), 0.5)


def _wav(root: Path, part: str, name: str) -> Path:
    folder = "train2022_wav" if part == "train" else "test2022_wav"
    return root / "BioCAS2022" / folder / f"{name}.wav"


def _note(root: Path, part: str, name: str) -> Path:
    folder = "train2022_json" if part == "train" else f"test2022_json/{part}_test_json"
    return root / "BioCAS2022" / folder / f"{name}.json"


def _write_note(root: Path, part: str, name: str, note: dict[str, Any]) -> None:
    path = _note(root, part, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(note))
