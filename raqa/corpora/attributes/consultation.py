"""Consultation context: symptoms and tests at the time of the recording."""

from __future__ import annotations

from raqa.corpora.attributes.definition import Attribute, Family, number, words, yes_no

_FAMILY: Family = "consultation"

CONSULTATION: tuple[Attribute, ...] = (
    words("covid_status", _FAMILY, "COVID-19 status as the corpus states it", {
        "healthy": "healthy",
        "no_resp_illness_exposed": "exposed to COVID-19, without a respiratory illness",
        "resp_illness_not_identified": "a respiratory illness that was not identified",
        "recovered_full": "fully recovered from COVID-19",
        "under_validation": "status under validation",
        "positive_mild": "COVID-19 positive with mild symptoms",
        "positive_moderate": "COVID-19 positive with moderate symptoms",
        "positive_asymp": "COVID-19 positive without symptoms",
        "symptomatic": "symptoms, COVID-19 not confirmed",
        "COVID-19": "COVID-19",
        "negative": "COVID-19 negative",
        "positive": "COVID-19 positive",
    }, own_words=True),
    words("covid_test", _FAMILY, "result of a COVID-19 test",
          {"negative": "negative", "positive": "positive", "not_taken": "no test was taken",
           "pending": "not known yet"}),
    words("covid_test_type", _FAMILY, "kind of COVID-19 test", {
        "antigen": "a rapid antigen test", "pcr": "a PCR test", "lamp": "a LAMP test"}),
    words("influenza_a", _FAMILY, "result of an influenza A test", ("negative", "positive")),
    words("influenza_b", _FAMILY, "result of an influenza B test", ("negative", "positive")),
    words("viral_load_category", _FAMILY, "viral load as a category, in the corpus's words"),
    number("viral_load", _FAMILY, "viral load as the laboratory gives it", "ct", (0, 60)),
    words("vaccination", _FAMILY, "vaccination against COVID-19", {
        "none": "not vaccinated", "partial": "partially vaccinated (one dose)",
        "full": "fully vaccinated"}, "ordinal"),
    yes_no("ct_scan", _FAMILY, "a CT scan was taken"),
    number("ct_score", _FAMILY, "severity score of the chest CT", "points", (0, 40)),
    yes_no("fever_muscle_pain", _FAMILY, "has fever or muscle pain, as told"),
    yes_no("cough", _FAMILY, "cough as a symptom"),
    yes_no("new_continuous_cough", _FAMILY, "a new continuous cough"),
    yes_no("cold", _FAMILY, "a cold"),
    yes_no("fever", _FAMILY, "fever"),
    yes_no("sore_throat", _FAMILY, "sore throat"),
    yes_no("breathing_difficulties", _FAMILY, "breathing difficulties"),
    yes_no("fatigue", _FAMILY, "fatigue"),
    yes_no("muscle_pain", _FAMILY, "muscle pain"),
    yes_no("diarrhoea", _FAMILY, "diarrhoea"),
    yes_no("abdominal_pain", _FAMILY, "abdominal pain"),
    yes_no("loss_of_smell_taste", _FAMILY, "loss of smell or taste"),
    yes_no("loss_of_taste", _FAMILY, "loss of taste"),
    yes_no("runny_nose", _FAMILY, "runny or blocked nose"),
    yes_no("headache", _FAMILY, "headache"),
    yes_no("other_symptom", _FAMILY, "a symptom other than those listed"),
    number("symptom_onset", _FAMILY, "days since the symptoms began", "day", (0, 1000)),
    yes_no("asymptomatic", _FAMILY, "no symptoms"),
    words("symptoms", _FAMILY, "symptoms, as told", kind="multilabel"),
)  # fmt: skip
