"""Demographics and health profile: who is heard."""

from __future__ import annotations

from raqa.corpora.attributes.definition import Attribute, Family, number, words, yes_no

_FAMILY: Family = "profile"
PROBABILITY = {"percent": 0.01}

PROFILE: tuple[Attribute, ...] = (
    # 0 is what forms store when the question was skipped; infants need months or days.
    number("age", _FAMILY, "age at the recording", "year", (0.001, 120),
           {"month": 1 / 12, "day": 1 / 365.25}),
    words("age_group", _FAMILY, "age group",
          ("neonate", "infant", "child", "adolescent", "young_adult", "adult"), "ordinal"),
    words("age_band", _FAMILY, "age band", {"18-44": "18 to 44 years", "45-64": "45 to 64 years",
          "65+": "65 years or older"}, "ordinal"),
    words("sex", _FAMILY, "sex", ("female", "male", "other")),
    number("height", _FAMILY, "height", "cm", (20, 250), {"m": 100.0, "in": 2.54}),
    number("weight", _FAMILY, "weight", "kg", (0.4, 400), {"lb": 0.45359237}),
    number("bmi", _FAMILY, "body mass index", "kg/m2", (8, 100), {"lb/in2": 703.07}),
    words("country", _FAMILY, "country of residence"),
    words("region", _FAMILY, "region of residence"),
    words("ethnicity", _FAMILY, "ethnic group, as told"),
    yes_no("english_proficient", _FAMILY, "proficient in English, as told"),
    yes_no("pregnancy", _FAMILY, "pregnant"),
    yes_no("smoker", _FAMILY, "smokes"),
    words("smoking_status", _FAMILY, "smoking status, as told",
          {"never": "has never smoked", "former": "used to smoke", "current": "smokes"}),
    yes_no("respiratory_condition", _FAMILY, "has a respiratory condition, as told"),
    yes_no("asthma", _FAMILY, "asthma"),
    yes_no("chronic_lung_disease", _FAMILY, "chronic lung disease"),
    yes_no("pneumonia", _FAMILY, "pneumonia"),
    yes_no("other_respiratory_illness", _FAMILY, "a respiratory illness other than those listed"),
    yes_no("hypertension", _FAMILY, "hypertension"),
    yes_no("ischemic_heart_disease", _FAMILY, "ischemic heart disease"),
    yes_no("diabetes", _FAMILY, "diabetes"),
    yes_no("other_condition", _FAMILY, "a pre-existing condition other than those listed"),
    words("medical_history", _FAMILY, "medical history, as told", kind="multilabel"),
    words("diagnosis", _FAMILY, "diagnosis", {
        "healthy": "healthy",
        "asthma": "asthma",
        "copd": "chronic obstructive pulmonary disease (COPD)",
        "bronchitis": "bronchitis",
        "bronchiectasis": "bronchiectasis",
        "bronchiolitis": "bronchiolitis",
        "lung_fibrosis": "lung fibrosis",
        "pleural_effusion": "pleural effusion",
        "pneumonia": "pneumonia",
        "lower_respiratory_infection": "lower respiratory tract infection",
        "upper_respiratory_infection": "upper respiratory tract infection",
        "heart_failure": "heart failure",
        "atrial_septal_defect": "atrial septal defect",
        "ventricular_septal_defect": "ventricular septal defect",
        "patent_ductus_arteriosus": "patent ductus arteriosus",
        "patent_foramen_ovale": "patent foramen ovale",
    }, "multilabel"),
    words("copd_severity", _FAMILY, "severity of COPD (GOLD stage)", {
        "0": "COPD0 (at risk)", "1": "COPD1 (mild)", "2": "COPD2 (moderate)",
        "3": "COPD3 (severe)", "4": "COPD4 (very severe)",
    }, "ordinal"),
    words("heart_outcome", _FAMILY, "outcome of the cardiac examination", ("normal", "abnormal")),
    number("xray_abnormality", _FAMILY, "chest X-ray abnormality score", "probability", (0, 1),
           PROBABILITY),
    number("tb_probability", _FAMILY, "probability of tuberculosis (score)", "probability", (0, 1),
           PROBABILITY),
    number("fvc", _FAMILY, "forced vital capacity", "l", (0.1, 12), {"ml": 0.001}),
    number("fev1", _FAMILY, "forced expiratory volume in one second", "l", (0.1, 10),
           {"ml": 0.001}),
    number("fev1_fvc", _FAMILY, "FEV1 divided by FVC", "ratio", (0.05, 1), PROBABILITY),
    number("heart_rate", _FAMILY, "heart rate", "1/min", (20, 300)),
    number("respiratory_rate", _FAMILY, "respiratory rate", "1/min", (2, 120)),
    number("apnea_hypopnea_index", _FAMILY, "apnea-hypopnea index", "1/h", (0, 200)),
)  # fmt: skip
