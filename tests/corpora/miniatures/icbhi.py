"""ICBHI in miniature: both layouts, with the oddities of the original.

16 subjects; 156 and 218 are on both sides, 223 has no demographics, the list of sides has a name
that is no recording (and calls 226's by another device), audio is 4 and 44.1 kHz at 16, 24 and 32
bits. Annotations: a line that is not one, a cycle that ends before it begins, two beyond the audio.
"""

from __future__ import annotations

from pathlib import Path

from tests.corpora.miniatures.sound import write_sound, write_twin

ADULTS = (101, 104, 107, 120, 130, 133, 156, 172, 178, 200, 218, 223, 226)
CHILDREN = (102, 108, 115)
SECONDS = 4.0
FAULTY = "104_1b1_Ar_sc_Litt3200"
SILENT = "107_2b3_Pl_mc_AKGC417L"  # annotated, without its wav
WITHOUT_CYCLES = "108_3b1_Tc_sc_Meditron"  # a wav, not annotated
DIAGNOSES = ("COPD", "Healthy", "URTI", "Pneumonia", "LRTI", "Bronchiectasis", "Asthma")
FORMATS = ((4000, "PCM_16"), (44100, "PCM_16"), (44100, "PCM_24"), (44100, "PCM_32"))


def write(root: Path, *, copy: bool = False) -> None:
    """Write the official layout, or that of the widely used copy (which has no list of sides)."""
    folder = root / ("audio_and_txt_files" if copy else "ICBHI_final_database")
    sides = {}
    for number, subject in enumerate(sorted((*ADULTS, *CHILDREN))):
        for index, place in enumerate(("Al", "Pr") if subject != 226 else ("Pl",)):
            name = _name(subject, index, place)
            crackle, wheeze = (number + index) % 2 == 1, (number // 2 + index) % 2 == 1
            _write_recording(folder, name, number, crackle=crackle, wheeze=wheeze)
            test = subject % 3 == 0 or (subject in {156, 218} and index == 1)
            train_too = subject in {156, 218} and index == 0
            sides[name] = "test" if test and not train_too else "train"
    _write_faults(folder)
    sides |= {FAULTY: "train", SILENT: "train", WITHOUT_CYCLES: "train"}
    sides["226_1b1_Pl_sc_Meditron"] = sides.pop("226_1b1_Pl_sc_LittC2SE")
    sides["999_1b1_Tc_sc_Meditron"] = "test"
    _write_tables(root, sides, copy=copy)
    write_twin(root / "__MACOSX" / folder.name / "101_1b1_Al_sc_Meditron.wav")


def _name(subject: int, index: int, place: str) -> str:
    device = "LittC2SE" if subject == 226 else ("Meditron", "AKGC417L")[index]
    return f"{subject}_{index + 1}b1_{place}_{('sc', 'mc')[index]}_{device}"


def _write_recording(folder: Path, name: str, number: int, *, crackle: bool, wheeze: bool) -> None:
    rate, subtype = FORMATS[number % len(FORMATS)]
    write_sound(
        folder / f"{name}.wav", SECONDS, rate=rate, subtype=subtype,
        crackle=crackle, wheeze=wheeze,
    )  # fmt: skip
    lines = [f"{start}\t{start + 1.25}\t{int(crackle)}\t{int(wheeze)}" for start in (0.036, 1.3)]
    lines.append("2.6\t3.9\t0\t0")
    (folder / f"{name}.txt").write_text("\r\n".join(lines) + "\r\n", newline="")


def _write_faults(folder: Path) -> None:
    write_sound(folder / f"{FAULTY}.wav", SECONDS)
    (folder / f"{FAULTY}.txt").write_text(
        "0.1\t1.5\t1\t0\n"
        "1.5\t3.0\t0\n"  # a cell too few
        "3.0\t2.0\t0\t0\n"
        "3.1\t3.9\t2\t1\n"  # 2 is no crackle
        "3.5\t9.0\t0\t0\n"
        "7.0\t8.0\t0\t0\n"
        "3.9\t4.05\t0\t1\n"  # rounded up by the annotators' tool
    )
    (folder / f"{SILENT}.txt").write_text("0.1\t1.5\t1\t1\n1.5\t2.5\t0\t0\n")
    write_sound(folder / f"{WITHOUT_CYCLES}.wav", SECONDS)
    write_sound(folder / "notes on breathing.wav", 0.5)


def _write_tables(root: Path, sides: dict[str, str], *, copy: bool) -> None:
    subjects = sorted((*ADULTS, *CHILDREN))
    cell = "," if copy else "\t"
    diagnoses = [f"{s}{cell}{DIAGNOSES[n % len(DIAGNOSES)]}" for n, s in enumerate(subjects)]
    people = []
    for number, subject in enumerate(subjects):
        sex = "FM"[number % 2]
        if subject in CHILDREN:
            people.append((subject, 0.25 + number, sex, "NA", 9.8 + number, 74 + number))
        elif subject != 223:
            bmi = "NA" if subject == 120 else 20.5 + number
            people.append((subject, 60 + number, sex, bmi, "NA", "NA"))
    between, end = (" ", "\n") if copy else ("\t", "\r\n")
    lines = end.join(between.join(str(value) for value in person) for person in people)
    if copy:
        (root / "patient_diagnosis.csv").write_text("\n".join(diagnoses) + "\n")
        (root / "demographic_info.txt").write_text(lines + end)
        return
    (root / "ICBHI_Challenge_diagnosis.txt").write_text("\n".join(diagnoses) + "\n")
    (root / "ICBHI_Challenge_demographic_information.txt").write_text(lines + end, newline="")
    listed = "\n".join(f"{name}\t{side}" for name, side in sides.items())
    (root / "ICBHI_challenge_train_test.txt").write_text(listed + "\n")
