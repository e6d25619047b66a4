"""HF_Lung_V1 in miniature: 13 sessions, two sides, and label files as they come.

A stethoscope's recordings (`steth_`) and pieces of a multichannel session (`trunc_`); one session
is on both sides. Faults: an empty label file, an unknown label, a time that is none, a wav without
labels, labels without a wav, a second copy of a folder.
"""

from __future__ import annotations

from pathlib import Path

from tests.corpora.miniatures.sound import write_sound, write_twin

SECONDS = 15.0
EMPTY = "trunc_2019-07-17-10-07-09-L1_1"
SILENT = "steth_20190815_14_18_44"
WITHOUT_LABELS = "steth_20190815_14_20_00"
FAULTY = "steth_20190814_09_00_00"
BOTH_SIDES = "trunc_2019-08-21-10-05-00"


def write(root: Path) -> None:
    """Write the official layout."""
    for number in range(8):
        side = "test" if number % 3 == 2 else "train"
        name = f"steth_2018081{number}_09_37_1{number}"
        _write(root / side, name, number)
    for number in range(4):
        side = "test" if number == 3 else "train"
        for place, part in (("L1", 1), ("L7", 2)):
            name = f"trunc_2019-06-0{number + 1}-09-33-45-{place}_{part}"
            _write(root / side, name, number)
    _write(root / "train", f"{BOTH_SIDES}-L1_14", 1)
    _write(root / "test", f"{BOTH_SIDES}-Tc_15", 2)
    _write_faults(root)
    write_twin(root / "__MACOSX" / "train" / "steth_20180810_09_37_10.wav")


def _write(folder: Path, name: str, number: int) -> None:
    crackle, wheeze = number % 2 == 1, number // 2 % 2 == 1
    write_sound(folder / f"{name}.wav", SECONDS, crackle=crackle, wheeze=wheeze)
    lines = ["I 00:00:00.612 00:00:01.532", "E 00:00:01.7 00:00:02.9", "I 0:0:4 0:0:5.25"]
    lines += ["D 00:00:04.100 00:00:04.800"] * crackle
    lines += ["Wheeze 00:00:06.000 00:00:07.500", "Rhonchi 00:00:08 00:00:09"] * wheeze
    (folder / f"{name}_label.txt").write_text("\n".join(lines) + "\n")


def _write_faults(root: Path) -> None:
    train = root / "train"
    write_sound(train / f"{EMPTY}.wav", SECONDS)
    (train / f"{EMPTY}_label.txt").write_text("")
    (train / f"{SILENT}_label.txt").write_text("I 00:00:01 00:00:02\nStridor 00:00:01 00:00:02\n")
    write_sound(train / f"{WITHOUT_LABELS}.wav", SECONDS)
    write_sound(train / f"{FAULTY}.wav", SECONDS)
    (train / f"{FAULTY}_label.txt").write_text(
        "I 00:00:01.0 00:00:02.0\nX 00:00:02.0 00:00:03.0\nE 00:00:aa 00:00:03.0\n"
        "D 00:00:05.0 00:00:04.0\nWheeze 00:00:14.0 00:01:15.0\n"
    )
    write_sound(root / "train 2" / "steth_20180810_09_37_10.wav", SECONDS)
