"""Acoustic features: what is heard, as experts or an annotation of events say."""

from __future__ import annotations

from raqa.corpora.attributes.definition import Attribute, Family, number, words, yes_no
from raqa.corpora.attributes.profile import PROBABILITY

_FAMILY: Family = "acoustic"

ACOUSTIC: tuple[Attribute, ...] = (
    yes_no("crackle", _FAMILY, "crackles are heard"),
    yes_no("wheeze", _FAMILY, "wheezes are heard"),
    words("lung_sounds", _FAMILY, "lung sounds that are heard", {
        "normal": "normal breath sounds",
        "crackle": "crackles",
        "fine_crackle": "fine crackles",
        "coarse_crackle": "coarse crackles",
        "crepitation": "crepitations",
        "wheeze": "wheezes",
        "rhonchus": "rhonchi",
        "stridor": "stridor",
        "bronchial": "bronchial breath sounds",
        "discontinuous": "discontinuous adventitious sounds",
        "unknown": "sounds that were not named",
    }, "multilabel"),
    words("breath_phase", _FAMILY, "phase of breathing in which the sound is heard",
          ("inspiration", "expiration"), "multilabel"),
    words("lung_sound_class", _FAMILY, "class of the lung sounds in the recording or segment", {
        "normal": "normal", "continuous": "continuous adventitious sounds",
        "discontinuous": "discontinuous adventitious sounds",
        "both": "continuous and discontinuous adventitious sounds",
        "poor_quality": "too poor to be judged"}),
    number("inhalations", _FAMILY, "inhalations in the recording", "count", (0, 1000)),
    number("exhalations", _FAMILY, "exhalations in the recording", "count", (0, 1000)),
    number("cough_count", _FAMILY, "coughs in the recording", "count", (0, 1000)),
    number("cough_duration", _FAMILY, "mean duration of a cough", "s", (0.01, 10), {"ms": 0.001}),
    number("cough_interval", _FAMILY, "mean time from the start of a cough to the next one's",
           "s", (0.01, 600), {"ms": 0.001}),
    number("cough_detected", _FAMILY, "probability of a cough by CoughVID's detector",
           "probability", (0, 1), PROBABILITY),
    words("expert_cough_type", _FAMILY, "kind of cough as experts heard it", {
        "dry": "a dry cough", "wet": "a wet cough"}),
    words("expert_diagnosis", _FAMILY, "diagnosis as experts heard it", {
        "healthy_cough": "a healthy cough", "upper_infection": "an upper respiratory infection",
        "lower_infection": "a lower respiratory infection",
        "obstructive_disease": "an obstructive disease", "COVID-19": "COVID-19"}),
    words("expert_severity", _FAMILY, "severity of the cough as experts heard it", {
        "pseudocough": "a pseudocough", "mild": "mild", "severe": "severe"}, "ordinal"),
    yes_no("expert_dyspnea", _FAMILY, "dyspnea is audible, as experts heard it"),
    yes_no("expert_wheezing", _FAMILY, "wheezing is audible, as experts heard it"),
    yes_no("expert_stridor", _FAMILY, "stridor is audible, as experts heard it"),
    yes_no("expert_choking", _FAMILY, "choking is audible, as experts heard it"),
    yes_no("expert_congestion", _FAMILY, "nasal congestion is audible, as experts heard it"),
    yes_no("expert_nothing", _FAMILY, "nothing specific is audible, as experts heard it"),
    words("murmur", _FAMILY, "heart murmur as heard by an expert",
          {"absent": "absent", "present": "present", "unknown": "unknown"}),
    yes_no("murmur_here", _FAMILY, "a murmur is heard at this auscultation location"),
    words("murmur_locations", _FAMILY, "valves at which a murmur is heard", {
        "AV": "the aortic valve", "PV": "the pulmonary valve", "TV": "the tricuspid valve",
        "MV": "the mitral valve", "Phc": "another place"}, "multilabel"),
    words("murmur_loudest", _FAMILY, "valve at which the murmur is loudest", {
        "AV": "the aortic valve", "PV": "the pulmonary valve", "TV": "the tricuspid valve",
        "MV": "the mitral valve", "Phc": "another place"}),
    words("systolic_timing", _FAMILY, "timing of the systolic murmur",
          ("early_systolic", "mid_systolic", "late_systolic", "holosystolic")),
    words("systolic_shape", _FAMILY, "shape of the systolic murmur",
          ("crescendo", "decrescendo", "diamond", "plateau")),
    words("systolic_grade", _FAMILY, "grade of the systolic murmur",
          {"I/VI": "I/VI", "II/VI": "II/VI", "III/VI": "III/VI or louder"}, "ordinal"),
    words("systolic_pitch", _FAMILY, "pitch of the systolic murmur",
          ("low", "medium", "high"), "ordinal"),
    words("systolic_quality", _FAMILY, "quality of the systolic murmur",
          ("blowing", "harsh", "musical")),
    words("diastolic_timing", _FAMILY, "timing of the diastolic murmur",
          ("early_diastolic", "mid_diastolic", "holodiastolic")),
    words("diastolic_shape", _FAMILY, "shape of the diastolic murmur",
          ("crescendo", "decrescendo", "diamond", "plateau")),
    words("diastolic_grade", _FAMILY, "grade of the diastolic murmur",
          {"I/IV": "I/IV", "II/IV": "II/IV", "III/IV": "III/IV", "IV/IV": "IV/IV"}, "ordinal"),
    words("diastolic_pitch", _FAMILY, "pitch of the diastolic murmur",
          ("low", "medium", "high"), "ordinal"),
    words("diastolic_quality", _FAMILY, "quality of the diastolic murmur",
          ("blowing", "harsh", "musical")),
    words("heart_phase", _FAMILY, "phase of the heart cycle", {
        "s1": "the first heart sound", "systole": "systole", "s2": "the second heart sound",
        "diastole": "diastole"}),
    number("signal_to_noise", _FAMILY, "signal-to-noise ratio", "dB", (-100, 150)),
)  # fmt: skip
