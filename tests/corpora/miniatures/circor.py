"""CirCor in miniature: 15 ids of 14 children, heart sounds at 4 kHz with heart phases.

5000 and 6000 are one child under two ids with different murmur labels. Also: two recordings of one
valve, the place Phc, a murmur that is heard at some valves only, Unknown, literal nan, phase 0, a
recording that is not there, one that the table does not list, one without phases.
"""

from __future__ import annotations

from pathlib import Path

from tests.corpora.miniatures.sound import write_sound, write_twin

SECONDS = 4.0
COLUMNS = (
    "Patient ID", "Recording locations:", "Age", "Sex", "Height", "Weight", "Pregnancy status",
    "Murmur", "Murmur locations", "Most audible location", "Systolic murmur timing",
    "Systolic murmur shape", "Systolic murmur grading", "Systolic murmur pitch",
    "Systolic murmur quality", "Diastolic murmur timing", "Diastolic murmur shape",
    "Diastolic murmur grading", "Diastolic murmur pitch", "Diastolic murmur quality", "Outcome",
    "Campaign", "Additional ID",
)  # fmt: skip
PAIR = ("5000", "6000")
SILENT = "5003_MV"  # listed, without its wav
WITHOUT_PHASES = "5004_MV"
UNLISTED = "5005_TV"
SYSTOLIC = {
    "Murmur": "Present", "Murmur locations": "MV", "Most audible location": "MV",
    "Systolic murmur timing": "Early-systolic", "Systolic murmur shape": "Plateau",
    "Systolic murmur grading": "III/VI", "Systolic murmur pitch": "Low",
    "Systolic murmur quality": "Harsh",
}  # fmt: skip
DIASTOLIC = {
    "Diastolic murmur timing": "Early-diastolic", "Diastolic murmur shape": "Decrescendo",
    "Diastolic murmur grading": "I/IV", "Diastolic murmur pitch": "High",
    "Diastolic murmur quality": "Blowing",
}  # fmt: skip


def write(root: Path) -> None:
    """Write the official layout."""
    rows = [_row(str(5000 + number), number) for number in range(13)]
    rows.append({**_row("6000", 1), "Additional ID": "5000"})
    rows.append({**_row("7000", 2), "Age": "nan", "Height": "nan", "Weight": "nan",
                 "Pregnancy status": "True", "Sex": "Female"})  # fmt: skip
    rows[0]["Additional ID"] = "6000"
    rows[2]["Recording locations:"] = "AV+MV+MV+Phc"
    rows[4]["Murmur"] = "Unknown"
    rows[7] |= DIASTOLIC
    for number, row in enumerate(rows):
        _write_recordings(root / "training_data", row, number)
    lines = [",".join(COLUMNS), *(",".join(row[name] for name in COLUMNS) for row in rows)]
    (root / "training_data.csv").write_text("\n".join(lines) + "\n")
    write_sound(root / "training_data" / f"{UNLISTED}.wav", SECONDS)
    (root / "training_data" / f"{WITHOUT_PHASES}.tsv").unlink()
    (root / "training_data" / f"{SILENT}.wav").unlink()
    write_twin(root / "__MACOSX" / "training_data" / "5000_AV.wav")


def _row(identity: str, number: int) -> dict[str, str]:
    row = dict.fromkeys(COLUMNS, "nan") | {
        "Patient ID": identity,
        "Recording locations:": "AV+MV",
        "Age": ("Child", "Infant", "Adolescent", "Neonate")[number % 4],
        "Sex": ("Female", "Male")[number % 2],
        "Height": f"{98 + number}.0",
        "Weight": f"{15.9 + number:.1f}",
        "Pregnancy status": "False",
        "Murmur": "Absent",
        "Outcome": ("Normal", "Abnormal")[number // 2 % 2],
        "Campaign": "CC2015" if identity < "6000" else "CC2014",
    }
    return row | SYSTOLIC if number % 2 else row


def _write_recordings(folder: Path, row: dict[str, str], number: int) -> None:
    places = row["Recording locations:"].split("+")
    for place in sorted(set(places)):
        for count in range(places.count(place)):
            name = f"{row['Patient ID']}_{place}"
            name += f"_{count + 1}" if places.count(place) > 1 else ""
            murmur = row["Murmur"] == "Present" and place == "MV"
            write_sound(folder / f"{name}.wav", SECONDS, wheeze=murmur)
            lines = ["0\t0.5\t0", "0.5\t0.62\t1", "0.62\t0.9\t2", "0.9\t1.0\t3", "1.0\t1.5\t4",
                     "1.5\t4.0\t0"]  # fmt: skip
            if number == 0:
                lines += ["4.5\t5.0\t1", "2.0\t2.1\t7"]
            (folder / f"{name}.tsv").write_text("\n".join(lines) + "\n")
